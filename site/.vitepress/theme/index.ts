// Readers' own fonts: none are sent.
import theme from "vitepress/theme-without-fonts";
// After the theme's, which it goes before.
import "./colours.css";

// biome-ignore lint/style/noDefaultExport: VitePress reads its theme from the default export.
export default theme;
