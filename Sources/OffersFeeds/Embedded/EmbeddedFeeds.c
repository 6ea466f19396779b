#include "EmbeddedFeeds.h"

#include <string.h>

static const unsigned char albums_yaml[] = {
#embed "../Shipped/albums.yaml"
};
static const unsigned char atom_yaml[] = {
#embed "../Shipped/atom.yaml"
};
static const unsigned char chart_yaml[] = {
#embed "../Shipped/chart.yaml"
};
static const unsigned char facts_yaml[] = {
#embed "../Shipped/facts.yaml"
};
static const unsigned char ibotta_yaml[] = {
#embed "../Shipped/ibotta.yaml"
};
static const unsigned char jsonfeed_yaml[] = {
#embed "../Shipped/jsonfeed.yaml"
};
static const unsigned char movies_yaml[] = {
#embed "../Shipped/movies.yaml"
};
static const unsigned char rdf_yaml[] = {
#embed "../Shipped/rdf.yaml"
};
static const unsigned char restaurants_yaml[] = {
#embed "../Shipped/restaurants.yaml"
};
static const unsigned char rss_yaml[] = {
#embed "../Shipped/rss.yaml"
};
static const unsigned char shopify_yaml[] = {
#embed "../Shipped/shopify.yaml"
};
static const unsigned char albums_json[] = {
#embed "../Samples/albums.json"
};
static const unsigned char facts_json[] = {
#embed "../Samples/facts.json"
};
static const unsigned char ibotta_json[] = {
#embed "../Samples/ibotta.json"
};
static const unsigned char movies_json[] = {
#embed "../Samples/movies.json"
};
static const unsigned char restaurants_json[] = {
#embed "../Samples/restaurants.json"
};

static const struct {
  const char *name;
  const unsigned char *bytes;
  unsigned long count;
} files[] = {
  {"albums.yaml", albums_yaml, sizeof albums_yaml},
  {"atom.yaml", atom_yaml, sizeof atom_yaml},
  {"chart.yaml", chart_yaml, sizeof chart_yaml},
  {"facts.yaml", facts_yaml, sizeof facts_yaml},
  {"ibotta.yaml", ibotta_yaml, sizeof ibotta_yaml},
  {"jsonfeed.yaml", jsonfeed_yaml, sizeof jsonfeed_yaml},
  {"movies.yaml", movies_yaml, sizeof movies_yaml},
  {"rdf.yaml", rdf_yaml, sizeof rdf_yaml},
  {"restaurants.yaml", restaurants_yaml, sizeof restaurants_yaml},
  {"rss.yaml", rss_yaml, sizeof rss_yaml},
  {"shopify.yaml", shopify_yaml, sizeof shopify_yaml},
  {"albums.json", albums_json, sizeof albums_json},
  {"facts.json", facts_json, sizeof facts_json},
  {"ibotta.json", ibotta_json, sizeof ibotta_json},
  {"movies.json", movies_json, sizeof movies_json},
  {"restaurants.json", restaurants_json, sizeof restaurants_json},
};

const unsigned char *embedded_feed_file(const char *name, unsigned long *count) {
  for (unsigned long index = 0; index < sizeof files / sizeof files[0]; index++) {
    if (strcmp(files[index].name, name) == 0) {
      *count = files[index].count;
      return files[index].bytes;
    }
  }
  return NULL;
}
