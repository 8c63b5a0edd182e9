import type { ResolutionAnswer } from '../contract/resolution.ts'
import { agentPrompt } from '../text/markdown/agent-prompt.ts'
import { resolutionMarkdown } from '../text/markdown/resolution.ts'
import { html } from './html.ts'
import { copyButton } from './parts/copy.ts'
import { headlineOf } from './parts/trace.ts'
import { resolutionPath } from './parts/resolution-forms.ts'
import type { PageContent, PageFrame } from './parts/page.ts'

/** What a resolution is copied as. */
export const COPIES = ['markdown', 'prompt'] as const

const TITLES: Readonly<Record<(typeof COPIES)[number], string>> = {
  markdown: 'As Markdown, for an issue or a comment',
  prompt: 'As a prompt, for a coding agent',
}

const TEXTS: Readonly<Record<(typeof COPIES)[number], (resolution: ResolutionAnswer) => string>> = {
  markdown: resolutionMarkdown,
  prompt: agentPrompt,
}

/** A resolution as a text to be copied. */
export function resolutionTextPage(
  frame: PageFrame,
  resolution: ResolutionAnswer,
  as: (typeof COPIES)[number],
): PageContent {
  return {
    title: `${TITLES[as]}: ${headlineOf(resolution)}`,
    main: html`
<h1>${TITLES[as]}</h1>
<p><a href="${resolutionPath(frame, resolution.id)}">${headlineOf(resolution)}</a></p>
<p>${copyButton('#copied', 'Copy')}</p>
<label for="copied" class="quiet">The text</label>
<textarea id="copied" rows="30" readonly spellcheck="false">${TEXTS[as](resolution)}</textarea>`,
  }
}
