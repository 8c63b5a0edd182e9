import { randomBytes } from 'node:crypto'

const MAX_LABEL_CHARS = 300
const TAG = /^[A-Za-z][A-Za-z0-9-]{7,63}$/

/**
 * A tag that occurs in none of the texts, for `fence`. Drawn at random for each request: who wrote the texts could not
 * know it.
 *
 * @param random - Gives 32 hex digits; tests pass their own.
 */
export function fenceTag(
  texts: readonly string[],
  random: () => string = () => randomBytes(16).toString('hex'),
): string {
  const haystacks = texts.map(text => text.toLowerCase())
  for (let length = 0; ; length += 1) {
    // Longer than every text in the end, so the search stops whatever `random` gives.
    const tag = `data-${random()}${'x'.repeat(length)}`.toLowerCase()
    if (!haystacks.some(text => text.includes(tag))) return tag
  }
}

/**
 * Wraps text that others wrote (a trace, code, program output) so that a prompt can point at it as data. Nothing inside
 * can close the fence, because the tag does not occur inside. For whole dialogues there is `renderDialogue`.
 *
 * @param tag - From `fenceTag` over all the texts of the request.
 * @param label - What the text is, in words of ours ('stack trace') or a path; signs that could end the attribute go.
 * @throws {Error} The tag occurs in the text (in any case), or has not the form of one: a bug of the caller.
 */
export function fence(text: string, tag: string, label: string): string {
  if (!TAG.test(tag)) throw new Error('A fence needs a tag of 8 to 64 letters, digits and hyphens.')
  if (text.toLowerCase().includes(tag.toLowerCase())) {
    throw new Error('The fence tag occurs in the text that it should enclose.')
  }
  return `<${tag} label="${label.replace(/[^\p{L}\p{N} ._/+@()[\]#=~$-]/gu, '').slice(0, MAX_LABEL_CHARS)}">\n${text}\n</${tag}>`
}
