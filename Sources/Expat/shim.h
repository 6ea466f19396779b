/* expat.h declares the limits on entity expansion only if these macros say that expat was built with
   DTDs (up to 2.5) or general entities (from 2.6), as in every distribution. */
#define XML_DTD 1
#define XML_GE 1
#include <expat.h>
