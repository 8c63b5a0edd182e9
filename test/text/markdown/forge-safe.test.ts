import { test } from 'tap'
import { withoutActive } from '../../../src/text/markdown/escape.ts'
import { onlyShown, plainTitle } from '../../../src/text/markdown/forge-safe.ts'

/** As GitLab's pattern has it, and GitHub's words with it. */
const CLOSES =
  /\b(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?):? +(?:issues? +)?(?:[\w./-]*#\d|https?:\/\/|GH-\d|[A-Z][A-Z0-9_]+-\d+)/

test('no text closes an issue, in a block of code neither', async t => {
  for (const said of [
    'fixes #1',
    'Fixes: #1',
    'closes acme/shop#12',
    'Resolved https://github.com/acme/shop/issues/1',
    'Implements SHOP-17',
    'closing issue #4',
    'fix GH-7',
  ]) {
    t.match(said, CLOSES, `${said} would`)
    t.notMatch(onlyShown(said), CLOSES, said)
    t.notMatch(onlyShown(`\`\`\`\n${said}\n\`\`\``), CLOSES, `${said} in code`)
    t.notMatch(plainTitle(`Fix Error: ${said}`), CLOSES, `${said} in a title`)
  }
  t.equal(onlyShown('This fixes the mean of nothing.'), 'This fixes the mean of nothing.')
})

test('nobody is called, no issue is told of it, and no line is a command to GitLab', async t => {
  const shown = onlyShown('Ask @root about #12, !3 and GH-4.\n/merge\n- /close\n> /assign @ann\na/b c@d.e')
  t.notMatch(shown, /@(?:root|ann)|#12|!3|GH-4/)
  t.match(shown, /c@d\.e/, 'an address of mail calls nobody')
  t.match(shown, /^\\\/merge$/m)
  t.notMatch(shown, /^\s*(?:[-*+>] )*\/(?:merge|close|assign)/m)
  t.match(shown, /^a\/b/m)
})

test('nobody is called and no issue told of it by what Markdown makes of a text', async t => {
  for (const said of ['`@root', 'a `\nb`@root `c`', '_@root_', '*@root*', '&commat;root', '&#64;root', '&#x40;root']) {
    // what stands in entities and in emphasis is read as plain text
    const read = onlyShown(said).replace(/&(?:commat|#64|#x40);/gi, '@')
    t.notMatch(read, /(?:^|[^A-Za-z0-9])@root/, said)
  }
  for (const said of [
    'see https://github.com/acme/shop/issues/12',
    'closes\nhttps://lab.example.com/acme/shop/-/merge_requests/12',
    'https://bitbucket.org/acme/shop/pull-requests/12',
    'an epic &12 and [issue:12]',
    'fixes &num;12',
  ]) {
    t.notMatch(onlyShown(said).replace('&num;', '#'), /(?:\/|&|:|#)12/, said)
  }
  t.equal(onlyShown('a && b &12; x & y'), 'a && b &\u200B12; x & y')
})

test('code is code only where every reader of Markdown agrees', async t => {
  for (const [told, markdown] of [
    ['a fence with text behind it ends nothing', '```\n```js\n```\n@root'],
    ['backticks in the line make no fence', '``` a`b\n@root'],
    ['a fence in a list ends with the list', '- a\n  ```\n@root'],
    ['one in a quote with the quote', '> ```\n@root'],
    ['one in a numbered list, too', '1. a\n\n   ~~~\n@root'],
    ['an indented one may be in a list', '   ```\n```\n@root'],
  ] as const) {
    t.notMatch(onlyShown(markdown), /@root/, told)
    t.notMatch(withoutActive(markdown.replace('@root', '![x](https://evil.example)')), /(?<!\\)!\[/, told)
  }
  t.equal(onlyShown('```py\n@cache\n```\n@root').split('\n')[1], '@cache', 'decorators stay as they are')
})

test('a block of a model that is not closed does not swallow what comes after it', async t => {
  t.equal(withoutActive('```\ncode'), '```\ncode\n```')
  t.equal(withoutActive('~~~~ts\ncode\n```'), '~~~~ts\ncode\n```\n~~~~')
})
