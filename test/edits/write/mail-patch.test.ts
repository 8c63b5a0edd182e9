import { test } from 'tap'
import { mailPatch } from '../../../src/edits/write/mail-patch.ts'

const diff = 'diff --git a/x b/x\n'
const date = new Date('2026-03-04T05:06:07Z')

test('a patch is a mail with the subject and the body of its message above the diff', async t => {
  t.equal(
    mailPatch({ message: 'Fix it\n\nBecause.\n', diff, date }),
    [
      'From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001',
      'From: Faultline <faultline@localhost>',
      'Date: Wed, 04 Mar 2026 05:06:07 +0000',
      'Subject: [PATCH] Fix it',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=UTF-8',
      'Content-Transfer-Encoding: 8bit',
      '',
      'Because.',
      '---',
      '',
      diff,
    ].join('\n'),
  )
  t.match(mailPatch({ message: 'Fix it\n', diff, date }), /8bit\n\n---\n\ndiff/, 'no body')
})

/** The subject of a mail with its encoded words decoded. */
function subjectOf(mail: string): string {
  const header = /^Subject: \[PATCH\] (.*(?:\n .*)*)/m.exec(mail)?.[1] ?? ''
  return header
    .split('\n ')
    .map(word => Buffer.from(/^=\?UTF-8\?B\?(.*)\?=$/.exec(word)?.[1] ?? '', 'base64').toString())
    .join('')
}

test('a subject that is not plain ASCII is sent in encoded words of whole characters', async t => {
  for (const subject of ['Исправить чтение файла, если он пуст, и не падать при этом', 'a =?b', '🚀'.repeat(30)]) {
    const mail = mailPatch({ message: `${subject}\n`, diff, date })
    t.equal(subjectOf(mail), subject)
    for (const word of mail.match(/=\?UTF-8\?B\?.*?\?=/g) ?? []) t.ok(word.length <= 75, word)
  }
  t.match(mailPatch({ message: 'a ~ b\n', diff, date }), /\[PATCH\] a ~ b\n/)
  t.match(mailPatch({ message: `${'é'.repeat(21)}\n`, diff, date }), /^Subject: .*\?=\nMIME/m, 'one word of 42 bytes')
})
