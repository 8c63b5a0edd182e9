import { html, type Html } from '../html.ts'

const LENGTHS = { day: 10, minute: 16, second: 19 } as const

/** An RFC 3339 time in UTC, as exact as people want it. */
export const timePart = (at: string, to: keyof typeof LENGTHS = 'minute'): Html =>
  html`<time datetime="${at}">${at.slice(0, LENGTHS[to]).replace('T', ' ')}</time>`
