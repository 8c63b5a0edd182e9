import { html, type Html, type Part } from '../html.ts'

/** What surrounds every page. */
export interface PageFrame {
  /** The path of PUBLIC_URL, before all links; empty where there is none. */
  prefix: string
  /** What a form that changes something has to send along. */
  csrf: string
  /** Who is signed in; null where nobody has to. */
  keyName: string | null
  /** Whether whoever asks may change something. */
  mayWrite: boolean
}

/** A page but for its frame. */
export interface PageContent {
  /** Says where one is; the name of the product follows. */
  title: string
  main: Part
}

/** A field that every form which changes something has. */
export const csrfField = ({ csrf }: Pick<PageFrame, 'csrf'>): Html =>
  html`<input type="hidden" name="_csrf" value="${csrf}">`

const signOutForm = (frame: PageFrame): Html => html`
<form class="sign-out" method="post" action="${frame.prefix}/ui/sign-out">
${csrfField(frame)}<span class="quiet">${frame.keyName}</span> <button type="submit">Sign out</button>
</form>`

/** The title of the document of a page. */
export const documentTitle = (title: string): string => `${title} · Faultline`

/**
 * The whole document. Its scripts are not deferred: htmx would begin before its extension is there, which then never
 * hears of the elements that are on the page from the start.
 */
export function page(frame: PageFrame, { title, main }: PageContent): Html {
  const { prefix, keyName } = frame
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${documentTitle(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="includeIndicatorCSS:false">
<link rel="icon" href="${prefix}/ui/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}/ui/assets/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<nav aria-label="Faultline">
<a class="brand" href="${prefix}/ui">Faultline</a>
<a href="${prefix}/ui/jobs">Jobs</a>
<a href="${prefix}/ui/activity">Activity</a>
<a href="${prefix}/docs">API</a>
${keyName !== null && signOutForm(frame)}
</nav>
</header>
<main id="main">
${main}
</main>
<script src="${prefix}/ui/htmx/htmx.min.js"></script>
<script src="${prefix}/ui/htmx/ext/hx-sse.min.js"></script>
<script src="${prefix}/ui/assets/page.js"></script>
</body>
</html>
`
}
