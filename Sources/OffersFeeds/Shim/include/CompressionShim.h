// The libraries for bzip2 and xz, opened when a document needs them. What is used of their interfaces, which have not
// changed since versions 1.0 and 5.0, is declared here, so that no headers are needed for a build.
#ifndef OFFERS_COMPRESSION_SHIM_H
#define OFFERS_COMPRESSION_SHIM_H

#include <stdint.h>

#include "SharedLibrary.h"

/// The state of a decompression, as in bzlib.h.
typedef struct {
  const char *_Nullable next_in;
  unsigned avail_in;
  unsigned total_in_lo32;
  unsigned total_in_hi32;
  char *_Nullable next_out;
  unsigned avail_out;
  unsigned total_out_lo32;
  unsigned total_out_hi32;
  void *_Nullable state;
  void *_Nullable allocate;
  void *_Nullable release;
  void *_Nullable opaque;
} offers_bz_stream;

int BZ2_bzDecompressInit(offers_bz_stream *_Nonnull, int verbosity, int small);
int BZ2_bzDecompress(offers_bz_stream *_Nonnull);
int BZ2_bzDecompressEnd(offers_bz_stream *_Nonnull);

#define OFFERS_LIBBZ2_FUNCTIONS(F) \
  F(BZ2_bzDecompressInit)          \
  F(BZ2_bzDecompress)              \
  F(BZ2_bzDecompressEnd)
OFFERS_DECLARE_LIBRARY(offers_libbz2, OFFERS_LIBBZ2_FUNCTIONS)

/// The state of a decompression, as in lzma/base.h.
typedef struct {
  const uint8_t *_Nullable next_in;
  size_t avail_in;
  uint64_t total_in;
  uint8_t *_Nullable next_out;
  size_t avail_out;
  uint64_t total_out;
  const void *_Nullable allocator;
  void *_Nullable internal;
  void *_Nullable reserved_pointers[4];
  uint64_t reserved_numbers[2];
  size_t reserved_sizes[2];
  int reserved_kinds[2];
} offers_lzma_stream;

int lzma_stream_decoder(offers_lzma_stream *_Nonnull, uint64_t memory_limit, uint32_t flags);
int lzma_code(offers_lzma_stream *_Nonnull, int action);
void lzma_end(offers_lzma_stream *_Nonnull);

#define OFFERS_LIBLZMA_FUNCTIONS(F) \
  F(lzma_stream_decoder)            \
  F(lzma_code)                      \
  F(lzma_end)
OFFERS_DECLARE_LIBRARY(offers_liblzma, OFFERS_LIBLZMA_FUNCTIONS)

#endif
