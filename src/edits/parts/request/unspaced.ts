import { isUnspaced, type Token } from './tokens.ts'

const REMOVES = /删除|移除|去掉|删掉|重命名|替换|削除|取り除|置き換え|改名|リネーム|삭제|제거|이름/
const STAYS = /不|别|勿|保留|没有|残|ない|ないで|せず|なく|유지|말고|않|지 마|없이/
/** What may stand between a name and its verb. */
const BETWEEN =
  /^(?:函数|方法|类|常量|变量|和|与|及|、|关数|関数|メソッド|クラス|定数|変数|と|や|を|は|함수|메서드|클래스|상수|및|을|를|와|과|把|将|请|一下|この|这个|该)*$/
const VERB_ONLY = new RegExp(`(?:${REMOVES.source})`)

/** The names in a clause of a language without blanks that its verb of removal stands right beside. */
export function namesBesideVerb(tokens: readonly Token[]): string[] {
  const isStaying = tokens.some(token => isUnspaced(token) && STAYS.test(token.text))
  const at = tokens.findIndex(token => isUnspaced(token) && REMOVES.test(token.text))
  if (at < 0 || isStaying) return []
  const [before = '', behind = ''] = (tokens[at]?.text ?? '').split(VERB_ONLY)
  const collect = (step: 1 | -1, first: string): string[] => {
    const names: string[] = []
    if (!BETWEEN.test(first)) return names
    for (let i = at + step; i >= 0 && i < tokens.length; i += step) {
      const token = tokens[i]
      if (token === undefined) break
      if (isUnspaced(token) ? !BETWEEN.test(token.text) : token.kind === 'mark' && !/^[,、]$/.test(token.text)) break
      if (!isUnspaced(token) && token.kind !== 'mark') names.push(token.text.replace(/\([^()]*\)$/, ''))
    }
    return names
  }
  const earlier = collect(-1, before)
  return earlier.length > 0 ? earlier : collect(1, behind)
}
