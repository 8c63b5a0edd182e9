import type { Outline } from '../core/outline.ts'
import { outlineJavaScript } from './languages/javascript.ts'

const OPENING = /<script(?=[\s>])[^>]{0,500}>/giy
/** What stands between two of these at the top of an Astro file. */
const FENCE = /^---[ \t]*$/my

function* scriptsOf(text: string): Generator<Span> {
  for (let at = text.indexOf('<script'); at !== -1; at = text.indexOf('<script', at + 1)) {
    OPENING.lastIndex = at
    const opening = OPENING.exec(text)
    if (opening === null) continue
    const begin = at + opening[0].length
    const close = text.indexOf('</script', begin)
    yield { begin, end: close === -1 ? text.length : close }
    if (close === -1) return
    at = close
  }
}

function fenced(text: string): Span[] {
  FENCE.lastIndex = 0
  const opening = FENCE.exec(text)
  const end = opening === null ? -1 : text.indexOf('\n---', opening[0].length)
  return opening === null || end === -1 ? [] : [{ begin: opening[0].length, end: end + 1 }]
}

const blank = (text: string): string => text.replace(/[^\n]+/g, ' ')

/** Definitions and imports in the scripts of a component (Vue, Svelte, Astro); what is around them counts as blank. */
export function outlineComponent(text: string): Outline {
  const scripts = [...fenced(text), ...scriptsOf(text)]
  let masked = ''
  let at = 0
  for (const { begin, end } of scripts) {
    if (begin < at) continue
    masked += blank(text.slice(at, begin)) + text.slice(begin, end)
    at = end
  }
  return outlineJavaScript(masked + blank(text.slice(at)))
}

interface Span {
  begin: number
  end: number
}
