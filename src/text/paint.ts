import type { styleText } from 'node:util'

/** A style of `styleText`. */
export type Format = Parameters<typeof styleText>[0]
/** Colours a text, or returns it unchanged: no terminal, or NO_COLOR. */
export type Paint = (format: Format, text: string) => string

/** Colours nothing. */
export const plain: Paint = (_format, text) => text
