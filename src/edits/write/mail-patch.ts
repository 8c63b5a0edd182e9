/** Bytes in an encoded word, which must not be longer than 75 characters as a whole. */
const WORD_BYTES = 42

const PRINTABLE_ASCII = /^[\x20-\x7E]*$/

/** A header's value: as it is, or in encoded words (RFC 2047) of whole characters. */
function header(text: string): string {
  if (PRINTABLE_ASCII.test(text) && !text.includes('=?')) return text
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map(part => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`).join('\n ')
}

/**
 * A diff as a mail that `git am` and `git apply` take: the form of `git format-patch`, for changes that are no commit.
 *
 * @param message - As `commitMessage` writes it.
 */
export function mailPatch({ message, diff, date }: { message: string; diff: string; date: Date }): string {
  const [subject = '', ...rest] = message.split('\n')
  const body = rest.join('\n').trim()
  return [
    `From ${'0'.repeat(40)} Mon Sep 17 00:00:00 2001`,
    'From: Faultline <faultline@localhost>',
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    `Subject: [PATCH] ${header(subject)}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=UTF-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    ...(body === '' ? [] : [body]),
    '---',
    '',
    diff,
  ].join('\n')
}
