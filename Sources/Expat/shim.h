/* The limits on entity expansion are declared only to those who say that expat was built with
   DTDs (up to 2.5) or general entities (from 2.6), as every distribution does. */
#define XML_DTD 1
#define XML_GE 1
#include <expat.h>
