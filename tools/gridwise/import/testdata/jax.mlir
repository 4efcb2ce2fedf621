module @jit_net attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x7x3x32xf16>, %arg1: tensor<3x3x8x64xf16>, %arg2: tensor<3x3x64x48xf16>, %arg3: tensor<3x3x48x40xf16>, %arg4: tensor<4x4x40x24xf16>, %arg5: tensor<8x64x64x3xf16>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7x7x3x32xf16> {jax.result_info = "result[1][0][0]"}, tensor<3x3x8x64xf16> {jax.result_info = "result[1][0][1]"}, tensor<3x3x64x48xf16> {jax.result_info = "result[1][0][2]"}, tensor<3x3x48x40xf16> {jax.result_info = "result[1][0][3]"}, tensor<4x4x40x24xf16> {jax.result_info = "result[1][0][4]"}, tensor<8x64x64x3xf16> {jax.result_info = "result[1][1]"}) {
    %0 = stablehlo.convolution(%arg5, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[2, 3], [2, 3]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x64x64x3xf16>, tensor<7x7x3x32xf16>) -> tensor<8x32x32x32xf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<8x32x32x32xf16>
    %2 = stablehlo.maximum %0, %1 : tensor<8x32x32x32xf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<8x32x32x32xf16>
    %4 = stablehlo.compare GT, %0, %3, FLOAT : (tensor<8x32x32x32xf16>, tensor<8x32x32x32xf16>) -> tensor<8x32x32x32xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<8x32x32x32xf16>
    %6 = stablehlo.compare EQ, %0, %5, FLOAT : (tensor<8x32x32x32xf16>, tensor<8x32x32x32xf16>) -> tensor<8x32x32x32xi1>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<8x32x32x32xf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f16>) -> tensor<8x32x32x32xf16>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f16>) -> tensor<8x32x32x32xf16>
    %10 = stablehlo.select %6, %9, %8 : tensor<8x32x32x32xi1>, tensor<8x32x32x32xf16>
    %11 = stablehlo.select %4, %7, %10 : tensor<8x32x32x32xi1>, tensor<8x32x32x32xf16>
    %12 = stablehlo.convolution(%2, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x32x32x32xf16>, tensor<3x3x8x64xf16>) -> tensor<8x16x16x64xf16>
    %13 = stablehlo.convolution(%12, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x16x16x64xf16>, tensor<3x3x64x48xf16>) -> tensor<8x12x12x48xf16>
    %14 = stablehlo.convolution(%13, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [1, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x12x12x48xf16>, tensor<3x3x48x40xf16>) -> tensor<8x11x13x40xf16>
    %15 = stablehlo.convolution(%14, %arg4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x11x13x40xf16>, tensor<4x4x40x24xf16>) -> tensor<8x22x26x24xf16>
    %16 = stablehlo.convert %15 : (tensor<8x22x26x24xf16>) -> tensor<8x22x26x24xf32>
    %17 = stablehlo.multiply %16, %16 : tensor<8x22x26x24xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x22x26x24xf32>
    %19 = stablehlo.multiply %18, %16 : tensor<8x22x26x24xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%17 init: %cst_6) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<8x22x26x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<1.098240e+05> : tensor<f32>
    %21 = stablehlo.divide %20, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.098240e+05> : tensor<f32>
    %22 = stablehlo.divide %cst_8, %cst_9 : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<f32>) -> tensor<8x22x26x24xf32>
    %24 = stablehlo.multiply %23, %19 : tensor<8x22x26x24xf32>
    %25 = stablehlo.convert %24 : (tensor<8x22x26x24xf32>) -> tensor<8x22x26x24xf16>
    %26 = stablehlo.convolution(%14, %25) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x11x13x40xf16>, tensor<8x22x26x24xf16>) -> tensor<4x4x40x24xf16>
    %27 = stablehlo.reverse %arg4, dims = [0, 1] : tensor<4x4x40x24xf16>
    %28 = stablehlo.convolution(%25, %27) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x22x26x24xf16>, tensor<4x4x40x24xf16>) -> tensor<8x11x13x40xf16>
    %29 = stablehlo.convolution(%13, %28) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [1, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x12x12x48xf16>, tensor<8x11x13x40xf16>) -> tensor<3x3x48x40xf16>
    %30 = stablehlo.reverse %arg3, dims = [0, 1] : tensor<3x3x48x40xf16>
    %31 = stablehlo.convolution(%28, %30) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x11x13x40xf16>, tensor<3x3x48x40xf16>) -> tensor<8x12x12x48xf16>
    %32 = stablehlo.convolution(%12, %31) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x16x16x64xf16>, tensor<8x12x12x48xf16>) -> tensor<3x3x64x48xf16>
    %33 = stablehlo.reverse %arg2, dims = [0, 1] : tensor<3x3x64x48xf16>
    %34 = stablehlo.convolution(%31, %33) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[4, 4], [4, 4]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x12x12x48xf16>, tensor<3x3x64x48xf16>) -> tensor<8x16x16x64xf16>
    %35 = stablehlo.convolution(%2, %34) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 4 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x32x32x32xf16>, tensor<8x16x16x64xf16>) -> tensor<3x3x8x64xf16>
    %36 = stablehlo.reshape %arg1 : (tensor<3x3x8x64xf16>) -> tensor<3x3x8x4x16xf16>
    %37 = stablehlo.transpose %36, dims = [0, 1, 3, 2, 4] : (tensor<3x3x8x4x16xf16>) -> tensor<3x3x4x8x16xf16>
    %38 = stablehlo.reshape %37 : (tensor<3x3x4x8x16xf16>) -> tensor<3x3x32x16xf16>
    %39 = stablehlo.reverse %38, dims = [0, 1] : tensor<3x3x32x16xf16>
    %40 = stablehlo.convolution(%34, %39) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x16x16x64xf16>, tensor<3x3x32x16xf16>) -> tensor<8x32x32x32xf16>
    %41 = stablehlo.multiply %40, %11 : tensor<8x32x32x32xf16>
    %42 = stablehlo.convolution(%arg5, %41) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[2, 3], [2, 3]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x64x64x3xf16>, tensor<8x32x32x32xf16>) -> tensor<7x7x3x32xf16>
    %43 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<7x7x3x32xf16>
    %44 = stablehlo.convolution(%41, %43) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[4, 3], [4, 3]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x32x32x32xf16>, tensor<7x7x3x32xf16>) -> tensor<8x64x64x3xf16>
    return %21, %42, %35, %32, %29, %26, %44 : tensor<f32>, tensor<7x7x3x32xf16>, tensor<3x3x8x64xf16>, tensor<3x3x64x48xf16>, tensor<3x3x48x40xf16>, tensor<4x4x40x24xf16>, tensor<8x64x64x3xf16>
  }
}
