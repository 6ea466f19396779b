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
static const unsigned char jsonld_yaml[] = {
#embed "../Shipped/jsonld.yaml"
};
static const unsigned char merchant_yaml[] = {
#embed "../Shipped/merchant.yaml"
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
static const unsigned char album_1_png[] = {
#embed "../Pictures/album-1.png"
};
static const unsigned char album_2_png[] = {
#embed "../Pictures/album-2.png"
};
static const unsigned char album_3_png[] = {
#embed "../Pictures/album-3.png"
};
static const unsigned char album_4_png[] = {
#embed "../Pictures/album-4.png"
};
static const unsigned char album_5_png[] = {
#embed "../Pictures/album-5.png"
};
static const unsigned char bag_png[] = {
#embed "../Pictures/bag.png"
};
static const unsigned char bird_png[] = {
#embed "../Pictures/bird.png"
};
static const unsigned char bottle_png[] = {
#embed "../Pictures/bottle.png"
};
static const unsigned char bowl_png[] = {
#embed "../Pictures/bowl.png"
};
static const unsigned char box_png[] = {
#embed "../Pictures/box.png"
};
static const unsigned char bread_png[] = {
#embed "../Pictures/bread.png"
};
static const unsigned char bulb_png[] = {
#embed "../Pictures/bulb.png"
};
static const unsigned char burger_png[] = {
#embed "../Pictures/burger.png"
};
static const unsigned char can_png[] = {
#embed "../Pictures/can.png"
};
static const unsigned char carton_png[] = {
#embed "../Pictures/carton.png"
};
static const unsigned char coffee_png[] = {
#embed "../Pictures/coffee.png"
};
static const unsigned char cup_png[] = {
#embed "../Pictures/cup.png"
};
static const unsigned char eggs_png[] = {
#embed "../Pictures/eggs.png"
};
static const unsigned char glass_png[] = {
#embed "../Pictures/glass.png"
};
static const unsigned char hill_png[] = {
#embed "../Pictures/hill.png"
};
static const unsigned char jar_png[] = {
#embed "../Pictures/jar.png"
};
static const unsigned char leaf_png[] = {
#embed "../Pictures/leaf.png"
};
static const unsigned char light_png[] = {
#embed "../Pictures/light.png"
};
static const unsigned char meat_png[] = {
#embed "../Pictures/meat.png"
};
static const unsigned char paw_png[] = {
#embed "../Pictures/paw.png"
};
static const unsigned char pills_png[] = {
#embed "../Pictures/pills.png"
};
static const unsigned char pizza_png[] = {
#embed "../Pictures/pizza.png"
};
static const unsigned char plate_png[] = {
#embed "../Pictures/plate.png"
};
static const unsigned char poster_1_png[] = {
#embed "../Pictures/poster-1.png"
};
static const unsigned char poster_2_png[] = {
#embed "../Pictures/poster-2.png"
};
static const unsigned char poster_3_png[] = {
#embed "../Pictures/poster-3.png"
};
static const unsigned char poster_4_png[] = {
#embed "../Pictures/poster-4.png"
};
static const unsigned char poster_5_png[] = {
#embed "../Pictures/poster-5.png"
};
static const unsigned char roll_png[] = {
#embed "../Pictures/roll.png"
};
static const unsigned char sea_png[] = {
#embed "../Pictures/sea.png"
};
static const unsigned char sheep_png[] = {
#embed "../Pictures/sheep.png"
};
static const unsigned char shop_png[] = {
#embed "../Pictures/shop.png"
};
static const unsigned char tube_png[] = {
#embed "../Pictures/tube.png"
};
static const unsigned char wine_png[] = {
#embed "../Pictures/wine.png"
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
  {"jsonld.yaml", jsonld_yaml, sizeof jsonld_yaml},
  {"merchant.yaml", merchant_yaml, sizeof merchant_yaml},
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
  {"album-1.png", album_1_png, sizeof album_1_png},
  {"album-2.png", album_2_png, sizeof album_2_png},
  {"album-3.png", album_3_png, sizeof album_3_png},
  {"album-4.png", album_4_png, sizeof album_4_png},
  {"album-5.png", album_5_png, sizeof album_5_png},
  {"bag.png", bag_png, sizeof bag_png},
  {"bird.png", bird_png, sizeof bird_png},
  {"bottle.png", bottle_png, sizeof bottle_png},
  {"bowl.png", bowl_png, sizeof bowl_png},
  {"box.png", box_png, sizeof box_png},
  {"bread.png", bread_png, sizeof bread_png},
  {"bulb.png", bulb_png, sizeof bulb_png},
  {"burger.png", burger_png, sizeof burger_png},
  {"can.png", can_png, sizeof can_png},
  {"carton.png", carton_png, sizeof carton_png},
  {"coffee.png", coffee_png, sizeof coffee_png},
  {"cup.png", cup_png, sizeof cup_png},
  {"eggs.png", eggs_png, sizeof eggs_png},
  {"glass.png", glass_png, sizeof glass_png},
  {"hill.png", hill_png, sizeof hill_png},
  {"jar.png", jar_png, sizeof jar_png},
  {"leaf.png", leaf_png, sizeof leaf_png},
  {"light.png", light_png, sizeof light_png},
  {"meat.png", meat_png, sizeof meat_png},
  {"paw.png", paw_png, sizeof paw_png},
  {"pills.png", pills_png, sizeof pills_png},
  {"pizza.png", pizza_png, sizeof pizza_png},
  {"plate.png", plate_png, sizeof plate_png},
  {"poster-1.png", poster_1_png, sizeof poster_1_png},
  {"poster-2.png", poster_2_png, sizeof poster_2_png},
  {"poster-3.png", poster_3_png, sizeof poster_3_png},
  {"poster-4.png", poster_4_png, sizeof poster_4_png},
  {"poster-5.png", poster_5_png, sizeof poster_5_png},
  {"roll.png", roll_png, sizeof roll_png},
  {"sea.png", sea_png, sizeof sea_png},
  {"sheep.png", sheep_png, sizeof sheep_png},
  {"shop.png", shop_png, sizeof shop_png},
  {"tube.png", tube_png, sizeof tube_png},
  {"wine.png", wine_png, sizeof wine_png},
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
