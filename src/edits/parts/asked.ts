import { anyOf } from '../text/any-of.ts'
import { readRemoved } from './request/removed.ts'

/** What a request asks to take away or to make anew, as far as its words tell. */
export interface Asked {
  /** Whether it asks to remove, rename or replace what has this name. */
  removes: (name: string) => boolean
  /**
   * Whether it asks to remove things without naming each: `values`: "unused constants"; `some`: "unused functions";
   * `most`: "everything but main".
   */
  removesUnnamed: 'no' | 'values' | 'some' | 'most'
  /** Whether it asks to rename, move, split, merge or restructure, so that code may stand under another name. */
  reworks: boolean
  /**
   * Whether it asks to rework all of the file: `anew` leaves nothing of it as it is, `whole` may write all that it
   * defines in other words.
   */
  file: 'no' | 'whole' | 'anew'
}

/** Nobody asked for anything to go. */
export const NOTHING_ASKED: Asked = { removes: () => false, removesUnnamed: 'no', reworks: false, file: 'no' }

const REWORKS = anyOf(
  [
    /\b(?:renam\w*|refactor\w*|restructur\w*|reorgani[sz]\w*|rewrit\w*|re-write|clean(?:ing)? ?up|simplif\w*|generali[sz]\w*)\b/,
    /\b(?:convert\w*|port|translat\w*|migrat\w*|extract\w*|split\w*|merg\w*|combin\w*|inlin\w*|move|moving|unif(?:y|ies))\b/,
    /\b(?:dedup\w*|de-?duplicat\w*|consolidat\w*|replac\w*|naming|camel ?case|snake ?case|better names?|moderni[sz]\w*)\b/,
    /\b(?:re-?implement\w*|overhaul\w*|re-?work\w*|redesign\w*|re-?architect\w*|re-?organi[sz]\w*|redo)\b/,
    /\b(?:moved|shorten\w*|reduc\w*|private|umbenenn\w*|benenn\w*|umstrukturier\w*|vereinfach\w*|überarbeit\w*|umschreib\w*)\b/,
    /\bschreib\w* .{0,80}\b(?:neu|um)\b|\bneu (?:zu )?schreib\w*|\b(?:renomm\w*|simplifi\w*|refactori[sz]\w*|réécri\w*|reescrib\w*)/,
    /переимен|перепи[шс]|переработ|переделай|упрост|рефактор|->|重构|重命名|重写|简化|リファクタ|書き直/,
  ],
  'iu',
)
const THINGS =
  '(?:file|module|script|code|codebase|program|project|app(?:lication)?|package|everything|it|this|page|document' +
  '|stylesheet|config(?:uration)?|readme|dockerfile|makefile|[\\w./-]+\\.[A-Za-z]\\w{0,9})'
const WHOLE_FILE = anyOf(
  [
    new RegExp(
      '\\b(?:rewrite|re-write|refactor|restructure|reorgani[sz]e|simplify|clean(?:ing)? ?up|convert|port|translate' +
        '|migrate|shorten|moderni[sz]e|redo|re-?implement|overhaul|re-?work|redesign|overwrite|replace)\\s+' +
        `(?:(?:all|all of|the|this|that|my|our|whole|entire|complete|full|existing)\\s+)*${THINGS}(?=[\\s,.;:!?)]|$)`,
    ),
    /\bschreib\w*\s+(?:die|das|diese|dieses|den)\s+(?:ganze\s+|gesamte\s+)?(?:datei|modul|skript|code|programm)\b/,
    /(?:перепи[шс]\S*|переработай|переделай)\s+(?:весь\s+|этот\s+|целиком\s+)*(?:файл|модуль|скрипт|код)/,
  ],
  'iu',
)
/** With "scratch", nothing of what there was is meant to be left. */
const ANEW = anyOf(
  [
    /\bfrom scratch\b|\bstart(?:ing)? (?:over|afresh|from zero)\b|\bfrom the ground up\b/,
    /\b(?:replace|overwrite) (?:the |all |this )*(?:whole|entire|complete|full|contents?) ?(?:contents? )?(?:of )?(?:the |this )?(?:file)?\b/,
    /\bvon grund auf\b|à partir de zéro|\bdesde cero\b|с нуля|ゼロから|从零/,
  ],
  'iu',
)
const NAMES_ONE = /\b(?:function|method|class|section|route|rule|test|component)\b/i

/** Reads what a request asks to remove or to rework. Nothing is read into an empty one. */
export function readAsked(request: string): Asked {
  if (request.trim() === '') return NOTHING_ASKED
  const { names, titles, kept, unnamed, asks } = readRemoved(request)
  const wholeFile = asks.some(clause => WHOLE_FILE.test(clause)) ? 'whole' : 'no'
  // "rewrite load() from scratch" is said of one function
  const isAnew = asks.some(clause => ANEW.test(clause) && !NAMES_ONE.test(clause) && !clause.includes('()'))
  return {
    removes: name => !kept.has(name) && (names.has(name) || titles.has(name.toLowerCase())),
    removesUnnamed: unnamed,
    reworks: asks.some(clause => REWORKS.test(clause)),
    file: isAnew ? 'anew' : wholeFile,
  }
}
