#include "EmbeddedPages.h"

#include <string.h>

static const unsigned char openapi_json[] = {
#embed "../API/openapi.json"
}, add_feed_js[] = {
#embed "../Assets/add-feed.js"
}, app_js[] = {
#embed "../Assets/app.js"
}, base_path_js[] = {
#embed "../Assets/base-path.js"
}, cards_css[] = {
#embed "../Assets/cards.css"
}, changes_css[] = {
#embed "../Assets/changes.css"
}, columns_css[] = {
#embed "../Assets/columns.css"
}, controls_css[] = {
#embed "../Assets/controls.css"
}, dialogs_js[] = {
#embed "../Assets/dialogs.js"
}, drag_to_close_js[] = {
#embed "../Assets/drag-to-close.js"
}, elements_js[] = {
#embed "../Assets/elements.js"
}, feed_forms_js[] = {
#embed "../Assets/feed-forms.js"
}, feed_refresh_js[] = {
#embed "../Assets/feed-refresh.js"
}, hide_js[] = {
#embed "../Assets/hide.js"
}, household_js[] = {
#embed "../Assets/household.js"
}, icon_192_png[] = {
#embed "../Assets/icon-192.png"
}, icon_512_png[] = {
#embed "../Assets/icon-512.png"
}, icon_maskable_512_png[] = {
#embed "../Assets/icon-maskable-512.png"
}, icon_svg[] = {
#embed "../Assets/icon.svg"
}, inter_woff2[] = {
#embed "../Assets/inter.woff2"
}, keyboard_js[] = {
#embed "../Assets/keyboard.js"
}, layout_css[] = {
#embed "../Assets/layout.css"
}, list_position_js[] = {
#embed "../Assets/list-position.js"
}, lists_css[] = {
#embed "../Assets/lists.css"
}, lists_js[] = {
#embed "../Assets/lists.js"
}, login_css[] = {
#embed "../Assets/login.css"
}, login_js[] = {
#embed "../Assets/login.js"
}, manifest_webmanifest[] = {
#embed "../Assets/manifest.webmanifest"
}, map_background_js[] = {
#embed "../Assets/map-background.js"
}, map_css[] = {
#embed "../Assets/map.css"
}, map_distances_js[] = {
#embed "../Assets/map-distances.js"
}, map_drawing_js[] = {
#embed "../Assets/map-drawing.js"
}, map_js[] = {
#embed "../Assets/map.js"
}, messages_css[] = {
#embed "../Assets/messages.css"
}, messages_js[] = {
#embed "../Assets/messages.js"
}, motion_css[] = {
#embed "../Assets/motion.css"
}, news_js[] = {
#embed "../Assets/news.js"
}, offer_column_js[] = {
#embed "../Assets/offer-column.js"
}, offer_detail_js[] = {
#embed "../Assets/offer-detail.js"
}, offer_sheet_js[] = {
#embed "../Assets/offer-sheet.js"
}, offer_css[] = {
#embed "../Assets/offer.css"
}, page_update_js[] = {
#embed "../Assets/page-update.js"
}, panels_css[] = {
#embed "../Assets/panels.css"
}, pending_stars_js[] = {
#embed "../Assets/pending-stars.js"
}, place_css[] = {
#embed "../Assets/place.css"
}, push_js[] = {
#embed "../Assets/push.js"
}, requests_js[] = {
#embed "../Assets/requests.js"
}, search_css[] = {
#embed "../Assets/search.css"
}, search_js[] = {
#embed "../Assets/search.js"
}, server_events_js[] = {
#embed "../Assets/server-events.js"
}, settings_css[] = {
#embed "../Assets/settings.css"
}, shared_js[] = {
#embed "../Assets/shared.js"
}, share_link_js[] = {
#embed "../Assets/share-link.js"
}, sheet_css[] = {
#embed "../Assets/sheet.css"
}, sidebar_css[] = {
#embed "../Assets/sidebar.css"
}, slow_pages_js[] = {
#embed "../Assets/slow-pages.js"
}, stars_js[] = {
#embed "../Assets/stars.js"
}, theme_js[] = {
#embed "../Assets/theme.js"
}, times_js[] = {
#embed "../Assets/times.js"
}, tokens_css[] = {
#embed "../Assets/tokens.css"
}, web_css[] = {
#embed "../Assets/web.css"
}, web_js[] = {
#embed "../Assets/web.js"
}, world_json[] = {
#embed "../Assets/world.json"
}, account_mustache[] = {
#embed "../Templates/account.mustache"
}, add_feed_mustache[] = {
#embed "../Templates/add-feed.mustache"
}, adding_mustache[] = {
#embed "../Templates/adding.mustache"
}, alert_mustache[] = {
#embed "../Templates/alert.mustache"
}, amount_mustache[] = {
#embed "../Templates/amount.mustache"
}, bare_mustache[] = {
#embed "../Templates/bare.mustache"
}, card_mustache[] = {
#embed "../Templates/card.mustache"
}, cards_mustache[] = {
#embed "../Templates/cards.mustache"
}, change_mustache[] = {
#embed "../Templates/change.mustache"
}, changes_mustache[] = {
#embed "../Templates/changes.mustache"
}, chips_mustache[] = {
#embed "../Templates/chips.mustache"
}, choice_button_mustache[] = {
#embed "../Templates/choice-button.mustache"
}, choice_mustache[] = {
#embed "../Templates/choice.mustache"
}, details_mustache[] = {
#embed "../Templates/details.mustache"
}, empty_mustache[] = {
#embed "../Templates/empty.mustache"
}, fact_mustache[] = {
#embed "../Templates/fact.mustache"
}, feed_mustache[] = {
#embed "../Templates/feed.mustache"
}, field_error_mustache[] = {
#embed "../Templates/field-error.mustache"
}, held_mustache[] = {
#embed "../Templates/held.mustache"
}, household_mustache[] = {
#embed "../Templates/household.mustache"
}, icons_mustache[] = {
#embed "../Templates/icons.mustache"
}, identity_mustache[] = {
#embed "../Templates/identity.mustache"
}, labels_mustache[] = {
#embed "../Templates/labels.mustache"
}, large_picture_mustache[] = {
#embed "../Templates/large-picture.mustache"
}, login_mustache[] = {
#embed "../Templates/login.mustache"
}, more_mustache[] = {
#embed "../Templates/more.mustache"
}, notice_mustache[] = {
#embed "../Templates/notice.mustache"
}, notices_mustache[] = {
#embed "../Templates/notices.mustache"
}, offer_mustache[] = {
#embed "../Templates/offer.mustache"
}, offers_mustache[] = {
#embed "../Templates/offers.mustache"
}, pair_mustache[] = {
#embed "../Templates/pair.mustache"
}, pairing_mustache[] = {
#embed "../Templates/pairing.mustache"
}, passphrase_mustache[] = {
#embed "../Templates/passphrase.mustache"
}, picture_mustache[] = {
#embed "../Templates/picture.mustache"
}, placeholder_mustache[] = {
#embed "../Templates/placeholder.mustache"
}, poster_mustache[] = {
#embed "../Templates/poster.mustache"
}, proposal_mustache[] = {
#embed "../Templates/proposal.mustache"
}, rail_mustache[] = {
#embed "../Templates/rail.mustache"
}, search_mustache[] = {
#embed "../Templates/search.mustache"
}, searchbox_mustache[] = {
#embed "../Templates/searchbox.mustache"
}, sessions_mustache[] = {
#embed "../Templates/sessions.mustache"
}, settings_about_mustache[] = {
#embed "../Templates/settings-about.mustache"
}, settings_browser_mustache[] = {
#embed "../Templates/settings-browser.mustache"
}, settings_devices_mustache[] = {
#embed "../Templates/settings-devices.mustache"
}, settings_feeds_mustache[] = {
#embed "../Templates/settings-feeds.mustache"
}, settings_hidden_mustache[] = {
#embed "../Templates/settings-hidden.mustache"
}, settings_people_mustache[] = {
#embed "../Templates/settings-people.mustache"
}, settings_mustache[] = {
#embed "../Templates/settings.mustache"
}, shared_mustache[] = {
#embed "../Templates/shared.mustache"
}, shell_mustache[] = {
#embed "../Templates/shell.mustache"
}, site_pair_mustache[] = {
#embed "../Templates/site-pair.mustache"
}, star_mustache[] = {
#embed "../Templates/star.mustache"
}, this_device_mustache[] = {
#embed "../Templates/this-device.mustache"
}, today_mustache[] = {
#embed "../Templates/today.mustache"
}, token_mustache[] = {
#embed "../Templates/token.mustache"
}, tokens_mustache[] = {
#embed "../Templates/tokens.mustache"
}, users_mustache[] = {
#embed "../Templates/users.mustache"
}, watches_mustache[] = {
#embed "../Templates/watches.mustache"
}, web_mustache[] = {
#embed "../Templates/web.mustache"
}, welcome_mustache[] = {
#embed "../Templates/welcome.mustache"
}, your_data_mustache[] = {
#embed "../Templates/your-data.mustache"
}, mustache_js[] = {
#embed "../Worker/mustache.js"
}, offline_data_js[] = {
#embed "../Worker/offline-data.js"
}, offline_fetch_js[] = {
#embed "../Worker/offline-fetch.js"
}, offline_lists_js[] = {
#embed "../Worker/offline-lists.js"
}, offline_pages_js[] = {
#embed "../Worker/offline-pages.js"
}, offline_search_js[] = {
#embed "../Worker/offline-search.js"
}, offline_selection_js[] = {
#embed "../Worker/offline-selection.js"
}, offline_texts_js[] = {
#embed "../Worker/offline-texts.js"
}, offline_values_js[] = {
#embed "../Worker/offline-values.js"
}, push_events_js[] = {
#embed "../Worker/push-events.js"
}, sw_js[] = {
#embed "../Worker/sw.js"
};

static const struct {
  const char *name;
  const unsigned char *bytes;
  unsigned long count;
} files[] = {
  {"openapi.json", openapi_json, sizeof openapi_json},
  {"add-feed.js", add_feed_js, sizeof add_feed_js},
  {"app.js", app_js, sizeof app_js},
  {"base-path.js", base_path_js, sizeof base_path_js},
  {"cards.css", cards_css, sizeof cards_css},
  {"changes.css", changes_css, sizeof changes_css},
  {"columns.css", columns_css, sizeof columns_css},
  {"controls.css", controls_css, sizeof controls_css},
  {"dialogs.js", dialogs_js, sizeof dialogs_js},
  {"drag-to-close.js", drag_to_close_js, sizeof drag_to_close_js},
  {"elements.js", elements_js, sizeof elements_js},
  {"feed-forms.js", feed_forms_js, sizeof feed_forms_js},
  {"feed-refresh.js", feed_refresh_js, sizeof feed_refresh_js},
  {"hide.js", hide_js, sizeof hide_js},
  {"household.js", household_js, sizeof household_js},
  {"icon-192.png", icon_192_png, sizeof icon_192_png},
  {"icon-512.png", icon_512_png, sizeof icon_512_png},
  {"icon-maskable-512.png", icon_maskable_512_png, sizeof icon_maskable_512_png},
  {"icon.svg", icon_svg, sizeof icon_svg},
  {"inter.woff2", inter_woff2, sizeof inter_woff2},
  {"keyboard.js", keyboard_js, sizeof keyboard_js},
  {"layout.css", layout_css, sizeof layout_css},
  {"list-position.js", list_position_js, sizeof list_position_js},
  {"lists.css", lists_css, sizeof lists_css},
  {"lists.js", lists_js, sizeof lists_js},
  {"login.css", login_css, sizeof login_css},
  {"login.js", login_js, sizeof login_js},
  {"manifest.webmanifest", manifest_webmanifest, sizeof manifest_webmanifest},
  {"map-background.js", map_background_js, sizeof map_background_js},
  {"map.css", map_css, sizeof map_css},
  {"map-distances.js", map_distances_js, sizeof map_distances_js},
  {"map-drawing.js", map_drawing_js, sizeof map_drawing_js},
  {"map.js", map_js, sizeof map_js},
  {"messages.css", messages_css, sizeof messages_css},
  {"messages.js", messages_js, sizeof messages_js},
  {"motion.css", motion_css, sizeof motion_css},
  {"news.js", news_js, sizeof news_js},
  {"offer-column.js", offer_column_js, sizeof offer_column_js},
  {"offer-detail.js", offer_detail_js, sizeof offer_detail_js},
  {"offer-sheet.js", offer_sheet_js, sizeof offer_sheet_js},
  {"offer.css", offer_css, sizeof offer_css},
  {"page-update.js", page_update_js, sizeof page_update_js},
  {"panels.css", panels_css, sizeof panels_css},
  {"pending-stars.js", pending_stars_js, sizeof pending_stars_js},
  {"place.css", place_css, sizeof place_css},
  {"push.js", push_js, sizeof push_js},
  {"requests.js", requests_js, sizeof requests_js},
  {"search.css", search_css, sizeof search_css},
  {"search.js", search_js, sizeof search_js},
  {"server-events.js", server_events_js, sizeof server_events_js},
  {"settings.css", settings_css, sizeof settings_css},
  {"shared.js", shared_js, sizeof shared_js},
  {"share-link.js", share_link_js, sizeof share_link_js},
  {"sheet.css", sheet_css, sizeof sheet_css},
  {"sidebar.css", sidebar_css, sizeof sidebar_css},
  {"slow-pages.js", slow_pages_js, sizeof slow_pages_js},
  {"stars.js", stars_js, sizeof stars_js},
  {"theme.js", theme_js, sizeof theme_js},
  {"times.js", times_js, sizeof times_js},
  {"tokens.css", tokens_css, sizeof tokens_css},
  {"web.css", web_css, sizeof web_css},
  {"web.js", web_js, sizeof web_js},
  {"world.json", world_json, sizeof world_json},
  {"account.mustache", account_mustache, sizeof account_mustache},
  {"add-feed.mustache", add_feed_mustache, sizeof add_feed_mustache},
  {"adding.mustache", adding_mustache, sizeof adding_mustache},
  {"alert.mustache", alert_mustache, sizeof alert_mustache},
  {"amount.mustache", amount_mustache, sizeof amount_mustache},
  {"bare.mustache", bare_mustache, sizeof bare_mustache},
  {"card.mustache", card_mustache, sizeof card_mustache},
  {"cards.mustache", cards_mustache, sizeof cards_mustache},
  {"change.mustache", change_mustache, sizeof change_mustache},
  {"changes.mustache", changes_mustache, sizeof changes_mustache},
  {"chips.mustache", chips_mustache, sizeof chips_mustache},
  {"choice-button.mustache", choice_button_mustache, sizeof choice_button_mustache},
  {"choice.mustache", choice_mustache, sizeof choice_mustache},
  {"details.mustache", details_mustache, sizeof details_mustache},
  {"empty.mustache", empty_mustache, sizeof empty_mustache},
  {"fact.mustache", fact_mustache, sizeof fact_mustache},
  {"feed.mustache", feed_mustache, sizeof feed_mustache},
  {"field-error.mustache", field_error_mustache, sizeof field_error_mustache},
  {"held.mustache", held_mustache, sizeof held_mustache},
  {"household.mustache", household_mustache, sizeof household_mustache},
  {"icons.mustache", icons_mustache, sizeof icons_mustache},
  {"identity.mustache", identity_mustache, sizeof identity_mustache},
  {"labels.mustache", labels_mustache, sizeof labels_mustache},
  {"large-picture.mustache", large_picture_mustache, sizeof large_picture_mustache},
  {"login.mustache", login_mustache, sizeof login_mustache},
  {"more.mustache", more_mustache, sizeof more_mustache},
  {"notice.mustache", notice_mustache, sizeof notice_mustache},
  {"notices.mustache", notices_mustache, sizeof notices_mustache},
  {"offer.mustache", offer_mustache, sizeof offer_mustache},
  {"offers.mustache", offers_mustache, sizeof offers_mustache},
  {"pair.mustache", pair_mustache, sizeof pair_mustache},
  {"pairing.mustache", pairing_mustache, sizeof pairing_mustache},
  {"passphrase.mustache", passphrase_mustache, sizeof passphrase_mustache},
  {"picture.mustache", picture_mustache, sizeof picture_mustache},
  {"placeholder.mustache", placeholder_mustache, sizeof placeholder_mustache},
  {"poster.mustache", poster_mustache, sizeof poster_mustache},
  {"proposal.mustache", proposal_mustache, sizeof proposal_mustache},
  {"rail.mustache", rail_mustache, sizeof rail_mustache},
  {"search.mustache", search_mustache, sizeof search_mustache},
  {"searchbox.mustache", searchbox_mustache, sizeof searchbox_mustache},
  {"sessions.mustache", sessions_mustache, sizeof sessions_mustache},
  {"settings-about.mustache", settings_about_mustache, sizeof settings_about_mustache},
  {"settings-browser.mustache", settings_browser_mustache, sizeof settings_browser_mustache},
  {"settings-devices.mustache", settings_devices_mustache, sizeof settings_devices_mustache},
  {"settings-feeds.mustache", settings_feeds_mustache, sizeof settings_feeds_mustache},
  {"settings-hidden.mustache", settings_hidden_mustache, sizeof settings_hidden_mustache},
  {"settings-people.mustache", settings_people_mustache, sizeof settings_people_mustache},
  {"settings.mustache", settings_mustache, sizeof settings_mustache},
  {"shared.mustache", shared_mustache, sizeof shared_mustache},
  {"shell.mustache", shell_mustache, sizeof shell_mustache},
  {"site-pair.mustache", site_pair_mustache, sizeof site_pair_mustache},
  {"star.mustache", star_mustache, sizeof star_mustache},
  {"this-device.mustache", this_device_mustache, sizeof this_device_mustache},
  {"today.mustache", today_mustache, sizeof today_mustache},
  {"token.mustache", token_mustache, sizeof token_mustache},
  {"tokens.mustache", tokens_mustache, sizeof tokens_mustache},
  {"users.mustache", users_mustache, sizeof users_mustache},
  {"watches.mustache", watches_mustache, sizeof watches_mustache},
  {"web.mustache", web_mustache, sizeof web_mustache},
  {"welcome.mustache", welcome_mustache, sizeof welcome_mustache},
  {"your-data.mustache", your_data_mustache, sizeof your_data_mustache},
  {"mustache.js", mustache_js, sizeof mustache_js},
  {"offline-data.js", offline_data_js, sizeof offline_data_js},
  {"offline-fetch.js", offline_fetch_js, sizeof offline_fetch_js},
  {"offline-lists.js", offline_lists_js, sizeof offline_lists_js},
  {"offline-pages.js", offline_pages_js, sizeof offline_pages_js},
  {"offline-search.js", offline_search_js, sizeof offline_search_js},
  {"offline-selection.js", offline_selection_js, sizeof offline_selection_js},
  {"offline-texts.js", offline_texts_js, sizeof offline_texts_js},
  {"offline-values.js", offline_values_js, sizeof offline_values_js},
  {"push-events.js", push_events_js, sizeof push_events_js},
  {"sw.js", sw_js, sizeof sw_js},
};

const unsigned char *embedded_page_file(const char *name, unsigned long *count) {
  for (unsigned long index = 0; index < sizeof files / sizeof files[0]; index++) {
    if (strcmp(files[index].name, name) == 0) {
      *count = files[index].count;
      return files[index].bytes;
    }
  }
  return NULL;
}

const char *embedded_page_name(unsigned long index) {
  return index < sizeof files / sizeof files[0] ? files[index].name : NULL;
}
