/**
 * uPlot makes a number format of the browser's language as it is loaded. Chromium under a POSIX
 * locale says `en-US@posix`, which Intl refuses: without this no page with a chart would open.
 */
function mendLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });
  }
}

mendLanguage();
