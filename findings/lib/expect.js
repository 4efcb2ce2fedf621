// expect(WHAT, WANTED, SEEN): as in common.sh. WANTED and SEEN are values or lists of them.
module.exports.expect = (what, wanted, seen) => {
  const [was, is] = [wanted, seen].map(list => [list].flat().join(' '));
  console.log(was === is ? `As stated: ${what} is "${is}".` : `Changed: ${what} was "${was}" and is now "${is}".`);
  if (was !== is) process.exit(1);
};
