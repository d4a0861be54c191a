import "./colours.css";
// Readers' own fonts: none are sent.
import theme from "vitepress/theme-without-fonts";

// biome-ignore lint/style/noDefaultExport: VitePress reads its theme from the default export.
export default theme;
