// Vite bundles what is imported so; TypeScript only has to know that such imports are fine.
declare module "*.css";
