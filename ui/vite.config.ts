import { readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const fontLicence: Plugin = {
  name: "font-licence",
  generateBundle() {
    const source = readFileSync("node_modules/@fontsource-variable/inter/LICENSE", "utf8");
    this.emitFile({ type: "asset", fileName: "licences/inter.txt", source });
  },
};

/** KaTeX names each typeface in three forms; every browser that the rest runs in reads the first. */
const oneFontForm: Plugin = {
  name: "one-font-form",
  enforce: "pre",
  transform(code, id) {
    if (!id.includes("katex.min.css")) return null;
    return code.replaceAll(/,url\([^)]*\) format\("(?:woff|truetype)"\)/g, "");
  },
};

export default defineConfig({
  base: "/ui/",
  plugins: [react(), fontLicence, oneFontForm],
  build: { license: { fileName: "licences/packages.md" }, assetsInlineLimit: 0 },
  server: { proxy: { "^/(api|runs|leaderboard|models)([/?]|$)": "http://127.0.0.1:8017" } },
});
