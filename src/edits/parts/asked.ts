import { anyOf } from '../text/any-of.ts'

/** What a request asks to take away or to make anew, as far as its words tell. */
export interface Asked {
  /** Whether it asks to remove, rename or replace what has this name. */
  removes: (name: string) => boolean
  /** Whether it asks to remove things without naming each: `some`: "unused functions"; `most`: "all but main". */
  removesUnnamed: 'no' | 'some' | 'most'
  /** Whether it asks to rename, move, split, merge or restructure, so that code may stand under another name. */
  reworks: boolean
  /**
   * Whether it asks to rework all of the file: `anew` leaves nothing of it as it is, `whole` may leave things out that
   * nothing uses any more.
   */
  file: 'no' | 'whole' | 'anew'
}

/** Nobody asked for anything to go. */
export const NOTHING_ASKED: Asked = { removes: () => false, removesUnnamed: 'no', reworks: false, file: 'no' }

const MAX_CHARS = 20_000

/** Verbs whose objects are gone afterwards, or stand under another name. */
const REMOVES = anyOf(
  [
    /\b(?:remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|drop(?:s|ped|ping)?|eliminat(?:e|es|ing)|get(?:ting)? rid of|discard)\b/,
    /\b(?:strip(?: out)?|prune|cut(?: out)?|renam(?:e|es|ing)|replac(?:e|es|ing)|substitut(?:e|ing)|swap(?: out)?)\b/,
    /\b(?:inline|merg(?:e|es|ing)|combin(?:e|es|ing)|unify|fold|instead of|rather than|no longer (?:needs?|uses?))\b/,
    /\b(?:take out|throw (?:away|out)|switch (?:away )?from|migrat(?:e|ing) (?:away )?from|turn)\b/,
    /\b(?:entfern\w*|lösch\w*|umbenenn\w*|benenne|ersetz\w*|supprim\w*|enlev\w*|retir\w*|renomm\w*|remplac\w*)\b/,
    /\b(?:elimin\w*|borr\w*|quit[ae]\w*|renombr\w*|reemplaz\w*|remov\w*|renome\w*|substitu\w*|apag\w*)\b/,
    /удал[иея]\w*|убер\w*|убрать|переимен\w*|замен\w*|删除|移除|去掉|重命名|替换|削除|置き換え|삭제|제거/,
  ],
  'giu',
)
/** Words after which a sentence tells where or why, and no more what is to go. */
const ENDS_OBJECT = new RegExp(
  '\\b(?:so that|so|because|since|as|when|if|where|that|which|like|such as|used|called|calls?|callers?|from|in|inside' +
    '|within|into|to|with|by|for|using|of|on|except|besides|other than|apart from' +
    '|and (?:then|add|make|let|keep|leave|use|call|write|create|put|fix))\\b' +
    '|\\b(?:aus|in|mit|durch|par|dans|de|con|por|en|из|на|в)\\b',
  'iu',
)
/** Words of a clause that say what is to stay. */
const KEEPS = anyOf(
  [
    /\b(?:keep|leav(?:e|ing)|preserv\w*|retain|don't|don’t|do not|does not|must not|should not|never|untouched)\b/,
    /\b(?:unchanged|intact|nicht|keine?n?|behalte\w*|garde[rz]?|ne pas|conserv\w*|no (?:toques|cambies)|не )\b/,
    /不要|保留|残して/,
  ],
  'iu',
)
const KINDS = new RegExp(
  '^(?:functions?|methods?|class(?:es)?|helpers?|constants?|variables?|types?|interfaces?|structs?|enums?|fields?' +
    '|keys?|scripts?|dependenc(?:y|ies)|packages?|rules?|selectors?|sections?|headings?|headers?|routes?|endpoints?' +
    '|tests?|cases?|tables?|columns?|targets?|settings?|options?|entries|entry|propert(?:y|ies)|attributes?|modules?' +
    '|components?|hooks?|commands?|jobs?|steps?|services?|stages?|blocks?|styles?|elements?|imports?|macros?|traits?)$',
  'i',
)
const PATH_PHRASE =
  /\b(?:in|from|at|inside|within|to)\s+(?:the\s+)?(?:file\s+)?[`"']?[\w@./-]*[\w-]\.[A-Za-z]\w{0,9}[`"']?(?=[\s,;:)]|$)/gi
const CLAUSE_ENDS = new RegExp(
  '[.!?](?=\\s|$)|[;\\n。！？；]|,\\s*(?=(?:but|then|so|don.t|do not|not|without|leave|leaving|keep|keeping|add|make)\\b)' +
    '|\\b(?:but|while|whereas|and then)\\b',
  'iu',
)
const PRONOUN = /^\s*(?:it|them|both|these|those|all of them|that one)\b|^\s*$/i
const PASSIVE = /\b(?:be|is|are|been|gets?|being)\s+$/i

const UNUSED =
  'unused|dead|deprecated|obsolete|legacy|redundant|duplicated?|unnecessary|unneeded|superfluous|unreachable'
const SOME = new RegExp(
  `\\b(?:${UNUSED}|all|every|other|both)\\b(?: (?!of\\b)[\\w-]+){0,3}? ` +
    '(?:functions?|methods?|class(?:es)?|helpers?|code|constants?|variables?|definitions?|tests?|routes?|endpoints?' +
    '|keys?|scripts?|dependenc(?:y|ies)|rules?|selectors?|styles?|sections?|headings?|tables?|targets?|settings?' +
    '|services?|jobs?|steps?|types?|interfaces?|fields?|properties|entries|parts?)\\b',
  'i',
)
/** All but a few things that are named. */
const ALL_BUT = /\beverything(?: else)?\b|\ball (?:the )?others?\b|\beverything (?:but|except)\b|\bthe rest\b/i

const REWORKS = anyOf(
  [
    /\b(?:renam\w*|refactor\w*|restructur\w*|reorgani[sz]\w*|rewrit\w*|re-write|clean(?:ing)? ?up|simplif\w*|generali[sz]\w*)\b/,
    /\b(?:convert\w*|port|translat\w*|migrat\w*|extract\w*|split\w*|merg\w*|combin\w*|inlin\w*|move|moving|unif(?:y|ies))\b/,
    /\b(?:dedup\w*|de-?duplicat\w*|consolidat\w*|replac\w*|naming|camel ?case|snake ?case|better names?|moderni[sz]\w*)\b/,
    /\b(?:moved|shorten\w*|reduc\w*|private|umbenenn\w*|umstrukturier\w*|vereinfach\w*|renomm\w*|simplifi\w*|refactori[sz]\w*)\b/,
    /переимен\w*|перепиш\w*|упрост\w*|рефактор\w*|重构|重命名|重写|简化|リファクタ|書き直/,
  ],
  'iu',
)
const WHOLE_FILE = new RegExp(
  '\\b(?:rewrite|re-write|refactor|restructure|reorgani[sz]e|simplify|clean(?:ing)? ?up|convert|port|translate' +
    '|migrate|shorten|moderni[sz]e|redo)\\s+' +
    '(?:(?:all|all of|the|this|that|my|our|whole|entire|complete|existing)\\s+)*' +
    '(?:file|module|script|code|codebase|program|project|app(?:lication)?|package|everything|it|this|page|document' +
    '|stylesheet|config(?:uration)?|readme|dockerfile|makefile|[\\w./-]+\\.[A-Za-z]\\w{0,9})(?=[\\s,.;:!?)]|$)',
  'i',
)
const ANEW = anyOf(
  [
    /\bfrom scratch\b|\bstart(?:ing)? (?:over|afresh|from zero)\b|\bfrom the ground up\b|\bcompletely (?:new|rewrite|replace)\b/,
    /\b(?:replace|overwrite|rewrite) (?:the |all |this )*(?:whole|entire|complete|full|contents?|everything|file)\b/,
    /\brewrite .{0,40}\b(?:completely|entirely|anew)\b|\b(?:von grund auf|neu schreiben|à partir de zéro|desde cero)\b/,
    /с нуля|从头(?:开始)?|ゼロから/,
  ],
  'iu',
)

/** The parts of a request that each say one thing. */
const clausesOf = (request: string): string[] => request.slice(0, MAX_CHARS).split(CLAUSE_ENDS)

/** Whether a word stands in a text as a thing and not as a word of a sentence: `run` in quotes, or "run function". */
function isNamedIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text.slice(0, at)
    const after = text.slice(at + name.length)
    if (/[\p{L}\p{N}_$]$/u.test(before) || /^(?:[\p{L}\p{N}_$]|['’]s\b)/u.test(after)) continue
    const isPlainWord = /^[a-z]+$/.test(name)
    if (!isPlainWord || /[`"'«“]$/.test(before) || /^[`"'(»”]/.test(after)) return true
    const [next = ''] = after.trim().split(/\s+/)
    const [previous = ''] = before.trim().split(/\s+/).slice(-1)
    if (/^\s*(?:$|[,&.:])/.test(after) || /^(?:and|or|und|et|y|e|и)$/.test(next)) return true
    if (KINDS.test(next.replace(/[,.:]$/, '')) || KINDS.test(previous)) return true
  }
  return false
}

/** The texts of a request in which things are named that it asks to remove. */
function removedIn(request: string): string[] {
  const found: string[] = []
  let previous = ''
  for (const clause of clausesOf(request)) {
    const plain = clause.replace(PATH_PHRASE, ' ')
    if (!KEEPS.test(plain)) {
      for (const verb of plain.matchAll(REMOVES)) {
        const before = plain.slice(0, verb.index)
        const after = plain.slice(verb.index + verb[0].length).replace(/\b(?:definition|implementation)s? of\b/gi, '')
        const end = after.search(ENDS_OBJECT)
        const object = end < 0 ? after : after.slice(0, end)
        if (PASSIVE.test(before) || PRONOUN.test(object)) found.push(before, previous)
        else found.push(object)
      }
    }
    previous = plain
  }
  return found
}

/** Reads what a request asks to remove or to rework. Nothing is read into an empty one. */
export function readAsked(request: string): Asked {
  if (request.trim() === '') return NOTHING_ASKED
  const removed = removedIn(request)
  const some = removed.some(text => SOME.test(text)) ? 'some' : 'no'
  const quoted = removed.join('\n').toLowerCase()
  const wholeFile = WHOLE_FILE.test(request) ? 'whole' : 'no'
  return {
    removes: name =>
      removed.some(text => isNamedIn(text, name)) || (/\s/.test(name) && quoted.includes(name.toLowerCase())),
    removesUnnamed: removed.some(text => ALL_BUT.test(text)) ? 'most' : some,
    reworks: REWORKS.test(request),
    file: ANEW.test(request) ? 'anew' : wholeFile,
  }
}
