// What Swift's Glibc does not import: how glibc keeps memory (mallopt(3)).
#pragma once
#include <malloc.h>
