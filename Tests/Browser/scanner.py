"""Reads QR codes by zbar, the library of Debian's package libzbar0, as the camera of a phone would."""

import base64
import ctypes

PIXELS = """
const [source, done] = arguments;
const image = new Image();
image.onload = () => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const {data} = context.getImageData(0, 0, image.width, image.height);
  let gray = '';
  for (let at = 0; at < data.length; at += 4) {
    gray += String.fromCharCode((data[at] * 3 + data[at + 1] * 6 + data[at + 2]) / 10);
  }
  done([image.width, image.height, btoa(gray)]);
};
image.src = source;
"""


def scan(browser, element):
    """The text of the QR code that a browser shows in an element; None if there is none to read."""
    source = "data:image/png;base64," + element.screenshot_as_base64
    width, height, gray = browser.execute_async_script(PIXELS, source)
    pixels = base64.b64decode(gray)
    library = ctypes.CDLL("libzbar.so.0")
    pointer = ctypes.c_void_p
    for name in ("zbar_image_scanner_create", "zbar_image_create", "zbar_image_first_symbol"):
        getattr(library, name).restype = pointer
    library.zbar_symbol_get_data.restype = ctypes.c_char_p
    scanner = pointer(library.zbar_image_scanner_create())
    image = pointer(library.zbar_image_create())
    try:
        library.zbar_image_set_format(image, ctypes.c_ulong(int.from_bytes(b"Y800", "little")))
        library.zbar_image_set_size(image, width, height)
        library.zbar_image_set_data(image, pixels, ctypes.c_ulong(len(pixels)), None)
        if library.zbar_scan_image(scanner, image) < 1:
            return None
        symbol = pointer(library.zbar_image_first_symbol(image))
        return library.zbar_symbol_get_data(symbol).decode()
    finally:
        library.zbar_image_destroy(image)
        library.zbar_image_scanner_destroy(scanner)
