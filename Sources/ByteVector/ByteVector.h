// Compares sixteen bytes at once. Swift's SIMD types compile these operations to a loop over the
// bytes; clang's vector extensions compile to the vector instructions of each processor.
#ifndef OFFERS_BYTE_VECTOR_H
#define OFFERS_BYTE_VECTOR_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "offers_bits requires little-endian byte order."
#endif

typedef uint8_t OffersBytes __attribute__((ext_vector_type(16)));
typedef _Bool OffersBits __attribute__((ext_vector_type(16)));

#define OFFERS_INLINE static inline __attribute__((always_inline))

OFFERS_INLINE OffersBytes offers_load(const uint8_t *address) {
  OffersBytes bytes;
  memcpy(&bytes, address, sizeof bytes);
  return bytes;
}

/// A bit for each byte that is not zero; the lowest bit is the first byte.
OFFERS_INLINE uint32_t offers_bits(OffersBytes bytes) {
  OffersBits found = __builtin_convertvector(bytes, OffersBits);
  uint16_t bits;
  memcpy(&bits, &found, sizeof bits);
  return bits;
}

/// The quotes, backslashes and control characters among the sixteen bytes at an address, in the
/// lower half; the bytes outside ASCII, in the upper half.
OFFERS_INLINE uint32_t offers_text_marks(const uint8_t *address) {
  OffersBytes bytes = offers_load(address);
  return offers_bits((OffersBytes)((bytes == '"') | (bytes == '\\') | (bytes < 0x20))) |
         offers_bits((OffersBytes)(bytes >= 0x80)) << 16;
}

/// Copies sixteen bytes; returns the backslashes among them.
OFFERS_INLINE uint32_t offers_copy_text(const uint8_t *address, uint8_t *target) {
  OffersBytes bytes = offers_load(address);
  memcpy(target, &bytes, sizeof bytes);
  return offers_bits((OffersBytes)(bytes == '\\'));
}

#endif
