// numbers: the words that a pass makes, by Pass.NumberRule. What a word becomes depends on no order of its values, so
// numbers are equal on every driver. A call for a word beyond the last does nothing; the twin's call is a fault,
// and does nothing either.
//
// in   SAFELIGHT_WORDS    the number of words
// out  safelight_numbers  buffer 1
#include "Common/grid.glsl"

layout(std430, binding = 1) buffer safelight_Numbers {
  uint safelight_numbers[];
};

#define SAFELIGHT_NUMBER(word) safelight_numbers[safelight_bufferOffsets[1] + (word)]

void addNumber(uint word, uint value) {
  if (word >= SAFELIGHT_WORDS) return;
  atomicAdd(SAFELIGHT_NUMBER(word), value);
}

// Adds to the 64 bits of two words, the lower half first.
void addWideNumber(uint word, uint value) {
  if (word >= SAFELIGHT_WORDS - 1u) return;
  uint before = atomicAdd(SAFELIGHT_NUMBER(word), value);
  if (before + value < before) atomicAdd(SAFELIGHT_NUMBER(word + 1u), 1u);
}

void lowerNumber(uint word, uint value) {
  if (word >= SAFELIGHT_WORDS) return;
  atomicMin(SAFELIGHT_NUMBER(word), value);
}

void raiseNumber(uint word, uint value) {
  if (word >= SAFELIGHT_WORDS) return;
  atomicMax(SAFELIGHT_NUMBER(word), value);
}

void setNumber(uint word, uint value) {
  if (word >= SAFELIGHT_WORDS) return;
  SAFELIGHT_NUMBER(word) = value;
}
