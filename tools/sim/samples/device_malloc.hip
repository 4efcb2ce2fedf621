// SPDX-License-Identifier: MIT
// Device code that allocates: blocks of every size from every lane, freed by other lanes and by
// later kernels.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

constexpr int kGroups = 4, kLanes = 96;

__device__ int Words(int item) { return 1 + item * 37 % 1500; }

__global__ void Build(int** lists) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  int* list = static_cast<int*>(malloc(Words(item) * sizeof(int)));
  lists[item] = list;
  if (list == nullptr) return;
  for (int i = 0; i < Words(item); ++i) list[i] = item + i;
}

// Checks and frees the list that another lane built.
__global__ void TearDown(int** lists, int items, int* right) {
  const int item = items - 1 - static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int* list = lists[item];
  bool same = list != nullptr;
  for (int i = 0; same && i < Words(item); ++i) same = list[i] == item + i;
  if (same) atomicAdd(right, 1);
  free(list);
}

struct Node {
  __device__ explicit Node(int value) : value(value) {}
  int value;
  Node* next = nullptr;
};

__global__ void NewAndDelete(int* sum) {
  Node* first = new Node(threadIdx.x);
  first->next = new Node(1000);
  double* large = new double[1000];
  large[999] = 1;
  atomicAdd(sum, first->value + first->next->value + static_cast<int>(large[999]));
  delete[] large;
  delete first->next;
  delete first;
}

int main() {
  constexpr int kItems = kGroups * kLanes;
  int** lists;
  int *counts, host[2];
  CHECK_HIP(hipMalloc(&lists, kItems * sizeof(int*)));
  CHECK_HIP(hipMalloc(&counts, sizeof(host)));
  CHECK_HIP(hipMemset(counts, 0, sizeof(host)));
  for (int round = 0; round < 2; ++round) {
    Build<<<kGroups, kLanes>>>(lists);
    TearDown<<<kGroups, kLanes>>>(lists, kItems, &counts[0]);
  }
  NewAndDelete<<<2, 2 * kLanes>>>(&counts[1]);
  CHECK_HIP(hipMemcpy(host, counts, sizeof(host), hipMemcpyDeviceToHost));
  CHECK(host[0] == 2 * kItems);
  CHECK(host[1] == 2 * (2 * kLanes * (2 * kLanes - 1) / 2 + 2 * kLanes * 1001));
  return 0;
}
