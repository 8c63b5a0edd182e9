import { html, type Html, type Part } from '../html.ts'

/** What every page has. */
export interface PageFrame {
  /** The path of PUBLIC_URL, before all links; empty where there is none. */
  prefix: string
}

/** A page but for its frame. */
export interface PageContent {
  /** Says where one is; the name of the product follows. */
  title: string
  main: Part
}

/** The whole document. */
export const page = ({ prefix }: PageFrame, { title, main }: PageContent): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Faultline</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="includeIndicatorCSS:false">
<link rel="icon" href="${prefix}/ui/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}/ui/assets/style.css">
<script src="${prefix}/ui/htmx/htmx.min.js" defer></script>
<script src="${prefix}/ui/htmx/ext/hx-sse.min.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<nav aria-label="Faultline">
<a class="brand" href="${prefix}/ui">Faultline</a>
<a href="${prefix}/docs">API</a>
</nav>
</header>
<main id="main">
${main}
</main>
</body>
</html>
`
