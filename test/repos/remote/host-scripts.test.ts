import { domainToASCII } from 'node:url'
import { test } from 'tap'
import { isOfOneScript } from '../../../src/repos/remote/host-scripts.ts'

const ONE_SCRIPT = [
  'github.com',
  'bücher.example',
  'пример.рф',
  'пример2-а.com',
  'παράδειγμα.gr',
  'ελλάδα.eu',
  '例え.jp',
  '例えテスト-git.jp',
  'git例子.cn',
  'ㄅ例子.tw',
  '예시git.kr',
  'उदाहरण.in',
  'مثال.example',
  'דוגמה.il',
  'ตัวอย่าง.th',
  'օրինակ.am',
  'მაგალითი.ge',
]

const MIXED = [
  'gіthub.com', // Cyrillic і
  'раypal.com',
  'git.аpple.com',
  'goοgle.com', // Greek ο
  'пpимер.рф', // Latin p
  'gitհub.com', // Armenian հ
  'Ꭺpple.com', // Cherokee
  'αб.example',
  '例б.example',
  'ᚠᚢ.example', // runes: nobody writes names in them today
]

test('each label of a host is of one script, or of scripts that are written together', t => {
  for (const name of ONE_SCRIPT) {
    t.not(domainToASCII(name), '', name)
    t.equal(isOfOneScript(domainToASCII(name)), true, name)
  }
  for (const name of MIXED) {
    t.not(domainToASCII(name), '', name)
    t.equal(isOfOneScript(domainToASCII(name)), false, name)
  }
  t.end()
})
