import MarkdownIt from 'markdown-it'
import { safeUrl, trusted, type Html } from '../html.ts'

/** HTML stays text, nothing is fetched for a picture, and only addresses of pages become links. */
const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image')
markdown.validateLink = url => safeUrl(url) !== null

/** Markdown of a model or a person. */
export const markdownPart = (text: string): Html => trusted(markdown.render(text))
