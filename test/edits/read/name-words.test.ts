import { test } from 'tap'
import { checkReplies, fenced } from '../../helpers/reply-cases.ts'

test('the words of a sentence say whether a file, a part of it or neither follows', async t => {
  checkReplies(t, [
    [
      'a sentence in Russian',
      `Создайте файл \`src/main.py\`:\n\n${fenced('x = 1', 'python')}`,
      { 'src/main.py': 'x = 1\n' },
    ],
    [
      'a sentence in German',
      `Hier ist die vollständige \`src/main.py\`:\n\n${fenced('x = 1', 'python')}`,
      { 'src/main.py': 'x = 1\n' },
    ],
    [
      'a sentence in Chinese',
      `以下是 \`src/main.py\` 的完整代码：\n\n${fenced('x = 1', 'python')}`,
      { 'src/main.py': 'x = 1\n' },
    ],
    ['an excerpt in Russian', `В файле \`src/app.py\` замените строки:\n\n${fenced('x = 1', 'python')}`, ['malformed']],
    [
      'an excerpt in German',
      `Ersetze in \`src/app.py\` die Zeile durch:\n\n${fenced('x = 1', 'python')}`,
      ['malformed'],
    ],
    ['an excerpt in Chinese', `在 \`src/app.py\` 中添加：\n\n${fenced('x = 1', 'python')}`, ['malformed']],
    [
      'an excerpt in French',
      `Dans \`src/app.py\`, remplacez la ligne par :\n\n${fenced('x = 1', 'python')}`,
      ['malformed'],
    ],
    ['output in Russian', `Вывод \`src/app.py\`:\n\n${fenced('ok', '')}`, ['malformed']],
    ['output in German', `Ausgabe von \`src/app.py\`:\n\n${fenced('ok', '')}`, ['malformed']],
    ['output in Chinese', `\`src/app.py\` 的输出：\n\n${fenced('ok', '')}`, ['malformed']],
  ])
})
