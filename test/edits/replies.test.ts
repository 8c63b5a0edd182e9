import { test } from 'tap'
import { applyEdits } from '../../src/edits/apply/apply-edits.ts'
import type { EditMemory } from '../../src/edits/edit.ts'
import { readReply } from '../../src/edits/read/read-reply.ts'

const F = '```'
const APP =
  'import os\n\n\ndef load(path):\n    return open(path).read()\n\n\ndef save(path, text):\n    with open(path, "w") as f:\n        f.write(text)\n'
const SAVED = APP.replace('"w"', '"a"')
const HUNK =
  '@@ -8,3 +8,3 @@\n def save(path, text):\n-    with open(path, "w") as f:\n+    with open(path, "a") as f:\n         f.write(text)\n'
const NAMES = '--- a/src/app.py\n+++ b/src/app.py\n'
const fenced = (body: string, info = 'diff'): string => `${F}${info}\n${body}${body.endsWith('\n') ? '' : '\n'}${F}\n`
const app = (after: string | null): Record<string, string | null> => ({ 'src/app.py': after })
const of = (text: string, path = 'f.txt'): Record<string, string> => ({ [path]: text })
const diffOf = (hunks: string, path = 'f.txt'): string => fenced(`--- a/${path}\n+++ b/${path}\n${hunks}`)

/** [what is wrong with the reply, the reply, files afterwards or the reasons of refusal, files before] */
type Case = [
  name: string,
  reply: string,
  outcome: Record<string, string | null> | string[],
  before?: Record<string, string>,
]

/** By the rules of docs/edits.md. */
const CASES: Record<string, Case[]> = {
  '1. lines and fences': [
    [
      'a thought before the edit',
      `<think>\n${fenced(`${NAMES}@@\n-x\n+y`)}</think>\n${fenced(NAMES + HUNK)}`,
      app(SAVED),
    ],
    ['a thought whose begin is missing', `Let me see\n${F}\nx\n${F}\n</think>\n${fenced(NAMES + HUNK)}`, app(SAVED)],
    ['a thought that does not end', `<think>\n${fenced(NAMES + HUNK)}`, ['truncated']],
    ['CRLF in all of the reply', fenced(NAMES + HUNK).replaceAll('\n', '\r\n'), app(SAVED)],
    ['a fence that is not closed', `${F}diff\n${NAMES}${HUNK}`, ['truncated']],
    ['a file that is cut off', `a.py\n${F}python\nx = 1\n`, ['truncated']],
    ['a closing fence too many', `${fenced(NAMES + HUNK)}${F}\n`, app(SAVED)],
    ['tildes', 'a.py\n~~~python\nx = 1\n~~~\n', { 'a.py': 'x = 1\n' }],
    [
      'a longer fence around fences',
      `a.md\n${F}${F}markdown\n${F}\nx\n${F}\n${F}${F}\n`,
      { 'a.md': `${F}\nx\n${F}\n` },
    ],
    [
      'tagged fences in Markdown nest',
      `a.md\n${F}markdown\n# T\n${F}bash\nls\n${F}\nend\n${F}\n`,
      { 'a.md': `# T\n${F}bash\nls\n${F}\nend\n` },
    ],
    [
      'bare fences in Markdown between blank lines nest',
      `a.md\n${F}\n# T\n\n${F}\nls\n${F}\n\nend\n${F}\n`,
      { 'a.md': `# T\n\n${F}\nls\n${F}\n\nend\n` },
    ],
    ['bare fences in Markdown that nobody can tell', `a.md\n${F}\n# T\n${F}\nls\n${F}\nend\n${F}\n`, ['malformed']],
    ['a Markdown file, then a command', `a.md\n${F}\n# T\n${F}\n\nRun:\n\n${F}\nls\n${F}\n`, { 'a.md': '# T\n' }],
    ['a fence that swallows the next file', `a.py\n${F}python\nx\n\nb.py\n${F}python\ny\n${F}\n`, ['truncated']],
    [
      'an indented fence',
      `1. Do:\n\n   a.py\n   ${F}python\n   def f():\n       pass\n   ${F}\n`,
      { 'a.py': 'def f():\n    pass\n' },
    ],
    [
      'an indented fence inside does not close',
      `a.py\n${F}python\ns = """\n  ${F}\n"""\n${F}\n`,
      { 'a.py': `s = """\n  ${F}\n"""\n` },
    ],
    ['all of the reply in a fence', `${F}markdown\nHere:\n\na.py\n${F}python\nx\n${F}\n${F}\n`, { 'a.py': 'x\n' }],
    [
      'tags of thoughts among the lines of a hunk',
      `${diffOf('@@ -1,3 +1,3 @@\n <think>\n-b\n+</think>\n c\n')}`,
      of('<think>\n</think>\nc\n'),
      of('<think>\nb\nc\n'),
    ],
    [
      'tags of thoughts in a diff without a fence',
      '--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n <think>\n-b\n+</think>\n c\n',
      of('<think>\n</think>\nc\n'),
      of('<think>\nb\nc\n'),
    ],
    [
      'a thought whose begin is missing, after a diff without a fence',
      '--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-a\n+b\n\n</think>\n',
      ['malformed'],
      of('a\n'),
    ],
    [
      'a fence in a hunk, further indented than the one around it, and the end of a thought that is removed',
      diffOf(`@@\n a\n   ${F}\n-b</think>\n+c\n`),
      of(`a\n  ${F}\nc\n`),
      of(`a\n  ${F}\nb</think>\n`),
    ],
    [
      'a context line that looks like the end of the fence, and one like the end of a thought',
      '~~~\n--- a/f.txt\n+++ b/f.txt\n@@\n-a\n~~~\n+d\n</think>5\n',
      ['malformed'],
      of('a\n~~~\n</think>5\n'),
    ],
    ['a thought that ends a line of prose', `I will change it.</think>\n${fenced(NAMES + HUNK)}`, app(SAVED)],
    ['a fence with text after it that is never closed', `${fenced(NAMES + HUNK)}\nRun:\n${F}\n`, ['truncated']],
    [
      'a context line without prefix that looks like the end of the fence',
      diffOf(`@@ -1,3 +1,3 @@\n a\n${F}\n-b\n+c\n`),
      of(`a\n${F}\nc\n`),
      of(`a\n${F}\nb\n`),
    ],
    [
      'the same with counts that do not tell',
      diffOf(`@@ -1,8 +1,8 @@\n a\n${F}\n-b\n+c\n`),
      ['malformed'],
      of(`a\n${F}\nb\n`),
    ],
    [
      'fences inside of a hunk with prefixes',
      diffOf(`@@ -1,3 +1,3 @@\n ${F}\n-b\n+c\n ${F}\n`),
      of(`${F}\nc\n${F}\n`),
      of(`${F}\nb\n${F}\n`),
    ],
    ['all of the reply in a plain fence', `${F}\na.py\n${F}python\nx\n${F}\n${F}\n`, { 'a.py': 'x\n' }],
    ['no newline at the end of the reply', fenced(NAMES + HUNK).trimEnd(), app(SAVED)],
    [
      'CRLF without a newline at the end of the reply',
      fenced(NAMES + HUNK)
        .trimEnd()
        .replaceAll('\n', '\r\n'),
      app(SAVED),
    ],
  ],
  '2. names of files, and files': [
    ['the last version wins', `a.py\n${fenced('1', '')}\na.py\n${fenced('2', '')}`, { 'a.py': '2\n' }],
    ['an empty block', `a/__init__.py\n${F}python\n${F}\n`, { 'a/__init__.py': '' }],
    ['a file that stands there is replaced', `src/app.py\n${fenced('x = 1', 'python')}`, app('x = 1\n')],
    ['a mention of a file that is there', `@src/app.py\n${fenced('x = 1', 'python')}`, app('x = 1\n')],
    ['a mention of a file that is there in another case', `@SRC/app.py\n${fenced('x = 1', 'python')}`, app('x = 1\n')],
    [
      'a mention of a new file in a folder that is there',
      `@src/main.py\n${fenced('x = 1', 'python')}`,
      { 'src/main.py': 'x = 1\n' },
    ],
    ['a mention that is the end of a path', `@/app.py\n${fenced('x = 1', 'python')}`, ['no_such_file']],
    ['a mention in a folder that is nowhere', `@/lib/main.py\n${fenced('x = 1', 'python')}`, ['no_such_file']],
    ['a new folder that is named so', `@types/x.d.ts\n${fenced('x', 'ts')}`, { '@types/x.d.ts': 'x\n' }],
    [
      'a folder that is named so',
      `@src/x.py\n${fenced('x', 'python')}`,
      { '@src/x.py': 'x\n' },
      { 'src/x.py': 'y\n', '@src/y.py': 'y\n' },
    ],
    ['an excerpt under a sentence', `In \`src/app.py\`, change:\n${fenced('x = 1', 'python')}`, ['malformed']],
    [
      'code left out of a file',
      `src/app.py\n${fenced('import os\n# ... existing code ...\nx = 1', 'python')}`,
      ['malformed'],
    ],
    [
      'an excerpt beside the diff that it explains',
      `The fault in \`src/app.py\` is:\n${fenced('return x', 'python')}\n${fenced(NAMES + HUNK)}`,
      app(SAVED),
    ],
    ['numbers of a listing', `a.py\n${fenced('    1 | x = 1\n    2 | y = 2', 'python')}`, { 'a.py': 'x = 1\ny = 2\n' }],
    ['numbers of an excerpt', `a.py\n${fenced('   41 | x = 1\n   42 | y = 2', 'python')}`, ['malformed']],
    [
      'SEARCH and REPLACE',
      `src/app.py\n${fenced('<<<<<<< SEARCH\nimport os\n=======\nimport re\n>>>>>>> REPLACE', 'python')}`,
      ['malformed'],
    ],
    ['fences without any name', `Do this:\n${fenced('x = 1', 'python')}`, ['malformed']],
    [
      'CRLF and mark of the file are kept',
      `f.txt\n${fenced('a\nc', '')}`,
      of('\uFEFFa\r\nc\r\n'),
      of('\uFEFFa\r\nb\r\n'),
    ],
    ['a file where a folder is', `src\n${F}\nx\n${F}\n`, ['malformed']],
    ['a file below a file', `src/app.py/x.py\n${fenced('x', '')}`, ['bad_path']],
    ['prose alone', 'It is fine as it is.', {}],
    [
      'several files as gpt-engineer asks for them',
      `src/main.py\n${fenced('def main():\n    print("Hello")', 'python')}\nrequirements.txt\n${fenced('flask==2.0.0', '')}`,
      { 'src/main.py': 'def main():\n    print("Hello")\n', 'requirements.txt': 'flask==2.0.0\n' },
    ],
    ['commands of an entrypoint', fenced('pip install -r requirements.txt\npython src/main.py', 'bash'), ['malformed']],
    [
      'an entrypoint under its name',
      `run.sh\n${fenced('pip install -r requirements.txt\npython src/main.py', 'bash')}`,
      { 'run.sh': 'pip install -r requirements.txt\npython src/main.py\n' },
    ],
    [
      'the example of the prompt, repeated',
      `FILENAME\n${fenced('CODE', '')}\na.py\n${fenced('x', 'python')}`,
      { 'a.py': 'x\n' },
    ],
    ['a name in a comment inside of the block', fenced('# src/main.py\nx = 1', 'python'), ['malformed']],
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
    [
      'code left out, said in Russian',
      `src/app.py\n${fenced('import os\n# ... остальной код без изменений ...', 'python')}`,
      ['malformed'],
    ],
    [
      'code left out, said in German',
      `src/app.py\n${fenced('import os\n# ... restlicher Code bleibt unverändert ...', 'python')}`,
      ['malformed'],
    ],
    [
      'code left out, said in Chinese',
      `src/app.py\n${fenced('import os\n# ... 其余代码保持不变 ...', 'python')}`,
      ['malformed'],
    ],
    [
      'code left out, said without dots',
      `src/app.py\n${fenced('import os\n# rest of the code remains the same', 'python')}`,
      ['malformed'],
    ],
    [
      'all of a file under a sentence that may announce a part',
      `Change \`src/app.py\`:\n${fenced(SAVED, 'python')}`,
      app(SAVED),
    ],
    ['a block that only repeats the file', `src/app.py\n${fenced(APP, 'python')}`, {}],
    [
      'a name between brackets that are its own',
      `app/(auth)/[slug]/+page.svelte\n${fenced('x', 'svelte')}`,
      { 'app/(auth)/[slug]/+page.svelte': 'x\n' },
    ],
  ],
  '4. which file a diff means': [
    ['no prefixes', fenced(`--- src/app.py\n+++ src/app.py\n${HUNK}`), app(SAVED)],
    ['one prefix for both', fenced(`--- a/src/app.py\n+++ a/src/app.py\n${HUNK}`), app(SAVED)],
    [
      'a folder named b',
      fenced('--- b/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-x\n+y\n'),
      of('y\n', 'b/f.txt'),
      of('x\n', 'b/f.txt'),
    ],
    ['another case', fenced(`--- a/src/App.py\n+++ b/src/App.py\n${HUNK}`), app(SAVED)],
    ['an end of the path', fenced(`--- a/app.py\n+++ b/app.py\n${HUNK}`), app(SAVED)],
    ['folders too many', fenced(`--- a/project/src/app.py\n+++ b/project/src/app.py\n${HUNK}`), app(SAVED)],
    ['a mention of a file that is there', fenced(`--- @src/app.py\n+++ @src/app.py\n${HUNK}`), app(SAVED)],
    ['a mention of it on one side', fenced(`--- src/app.py\n+++ @src/app.py\n${HUNK}`), app(SAVED)],
    [
      'a mention beside a file of the last folder alone',
      fenced(`--- a/@src/app.py\n+++ b/@src/app.py\n${HUNK}`),
      app(SAVED),
      { 'src/app.py': APP, 'app.py': APP },
    ],
    [
      'a mention where such a folder is',
      diffOf('@@ -1 +1 @@\n-x\n+y\n', '@src/m.py'),
      of('y\n', '@src/m.py'),
      { '@src/m.py': 'x\n', 'src/m.py': 'x\n' },
    ],
    [
      'a mention of a file that is to be made where it is',
      fenced('--- /dev/null\n+++ b/@src/app.py\n@@ -0,0 +1 @@\n+a\n'),
      ['malformed'],
    ],
    [
      'a rename onto a mention of a file',
      fenced('diff --git a/f.txt b/@src/app.py\nrename from f.txt\nrename to @src/app.py\n'),
      ['malformed'],
      { 'f.txt': 'x\n', 'src/app.py': APP },
    ],
    [
      'a rename in a chain',
      fenced(
        Array.from(
          { length: 60 },
          (_, i) => `diff --git a/f${i} b/f${i + 1}\nrename from f${i}\nrename to f${i + 1}\n`,
        ).join(''),
      ),
      { f0: null, f60: 'x\n'.repeat(20_000) },
      { f0: 'x\n'.repeat(20_000) },
    ],
    [
      'an end of several paths',
      diffOf('@@ -1 +1 @@\n-x\n+y\n', 'm.py'),
      ['no_such_file'],
      { 'a/m.py': 'x\n', 'b/m.py': 'x\n' },
    ],
    ['no such file', diffOf('@@ -1 +1 @@\n-x\n+y\n', 'no.py'), ['no_such_file']],
    [
      'dates behind the names',
      fenced(`--- a/src/app.py\t2026-01-01 10:00:00\n+++ b/src/app.py 2026-01-01 10:00:00.000 +0000\n${HUNK}`),
      app(SAVED),
    ],
    [
      'remarks behind the names',
      fenced(`--- a/src/app.py (original)\n+++ b/src/app.py (modified)\n${HUNK}`),
      app(SAVED),
    ],
    ['no names, but one above', `src/app.py\n${fenced(HUNK)}`, app(SAVED)],
    [
      'names that say nothing, and one above',
      `**src/app.py**\n${fenced(`--- original\n+++ modified\n${HUNK}`)}`,
      app(SAVED),
    ],
    ['no names at all', fenced(HUNK), ['malformed']],
    ['one name only', fenced(`+++ b/src/app.py\n${HUNK}`), app(SAVED)],
    [
      'a git header',
      fenced(`diff --git a/src/app.py b/src/app.py\nindex 123abc..456def 100644\n${NAMES}${HUNK}`),
      app(SAVED),
    ],
    [
      'a quoted name',
      fenced('--- "a/\\303\\251.txt"\n+++ "b/\\303\\251.txt"\n@@ -1 +1 @@\n-x\n+y\n'),
      of('y\n', 'é.txt'),
      of('x\n', 'é.txt'),
    ],
    ['a new file', fenced('--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,3 @@\n+a\n\n+b\n'), { 'n.py': 'a\n\nb\n' }],
    ['a new file without /dev/null', diffOf('@@ -0,0 +1,1 @@\n+a\n', 'n.py'), { 'n.py': 'a\n' }],
    ['a new file that exists', fenced('--- /dev/null\n+++ b/src/app.py\n@@ -0,0 +1 @@\n+a\n'), ['malformed']],
    [
      'an empty new file',
      fenced('diff --git a/n.py b/n.py\nnew file mode 100644\nindex 0000000..e69de29\n'),
      { 'n.py': '' },
    ],
    ['a deletion', fenced('--- a/f.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n'), { 'f.txt': null }, of('x\ny\n')],
    [
      'a deletion of something else',
      fenced('--- a/f.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n'),
      ['not_found'],
      of('x\n'),
    ],
    [
      'a rename',
      fenced(
        'diff --git a/f.txt b/g.txt\nsimilarity index 90%\nrename from f.txt\nrename to g.txt\n--- a/f.txt\n+++ b/g.txt\n@@ -1 +1 @@\n-x\n+y\n',
      ),
      { 'f.txt': null, 'g.txt': 'y\n' },
      of('x\n'),
    ],
    [
      'a rename alone',
      fenced('diff --git a/f.txt b/g.txt\nsimilarity index 100%\nrename from f.txt\nrename to g.txt\n'),
      { 'f.txt': null, 'g.txt': 'x\n' },
      of('x\n'),
    ],
    [
      'a rename onto a file',
      fenced('diff --git a/f.txt b/src/app.py\nrename from f.txt\nrename to src/app.py\n'),
      ['malformed'],
      { 'f.txt': 'x\n', 'src/app.py': APP },
    ],
    [
      'a binary patch',
      fenced('diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n'),
      ['malformed'],
    ],
    [
      'a link',
      fenced('diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n'),
      ['malformed'],
    ],
    ['a mode only', fenced('diff --git a/src/app.py b/src/app.py\nold mode 100644\nnew mode 100755\n'), ['malformed']],
    [
      'a deletion sent twice',
      fenced('--- a/f.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n').repeat(2),
      { 'f.txt': null },
      of('x\n'),
    ],
    [
      'a rename sent twice',
      fenced(
        'diff --git a/f.txt b/g.txt\nrename from f.txt\nrename to g.txt\n--- a/f.txt\n+++ b/g.txt\n@@ -1 +1 @@\n-x\n+y\n',
      ).repeat(2),
      { 'f.txt': null, 'g.txt': 'y\n' },
      of('x\n'),
    ],
    [
      'a dependency that healing adds to no file yet',
      fenced('--- requirements.txt\n+++ requirements.txt\n@@ -0,0 +1 @@\n+flask==2.0.0\n'),
      { 'requirements.txt': 'flask==2.0.0\n' },
    ],
    [
      'a new file with too large a count',
      '--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,9 @@\n+a\n\nThat is all.\n',
      { 'n.py': 'a\n' },
    ],
    ['a path from the root', fenced(`--- /src/app.py\n+++ /src/app.py\n${HUNK}`), ['bad_path']],
    [
      'a name in brackets',
      diffOf('@@ -1 +1 @@\n-x\n+y\n', 'app/[slug]/page.tsx'),
      of('y\n', 'app/[slug]/page.tsx'),
      of('x\n', 'app/[slug]/page.tsx'),
    ],
    ['names in backticks', fenced(`--- \`src/app.py\`\n+++ \`src/app.py\`\n${HUNK}`), app(SAVED)],
    [
      'a name with blanks',
      fenced('--- a/my file.txt\t\n+++ b/my file.txt\t\n@@ -1 +1 @@\n-x\n+y\n'),
      of('y\n', 'my file.txt'),
      of('x\n', 'my file.txt'),
    ],
  ],
  '5. hunks': [
    ['wrong counts', fenced(NAMES + HUNK.replace('-8,3 +8,3', '-8,9 +8,2')), app(SAVED)],
    ['no numbers', fenced(NAMES + HUNK.replace('-8,3 +8,3 @@', '')), app(SAVED)],
    ['three dots for numbers', fenced(NAMES + HUNK.replace('-8,3 +8,3', '...')), app(SAVED)],
    ['no hunk header', fenced(NAMES + HUNK.split('\n').slice(1).join('\n')), app(SAVED)],
    [
      'lost prefixes',
      fenced(NAMES + HUNK.replace('\n def', '\ndef').replace('\n         f', '\n        f')),
      app(SAVED),
    ],
    ['no fence', `Here:\n\n${NAMES}${HUNK}\nThat should do.\n`, app(SAVED)],
    [
      'no fence, and cut off',
      `${NAMES}@@ -8,3 +8,3 @@\n def save(path, text):\n-    with open(path, "w") as f:\n+    with op`,
      ['truncated'],
    ],
    ['another language on the fence', fenced(NAMES + HUNK, 'python'), app(SAVED)],
    ['content that looks like names', diffOf('@@ -1,2 +1,2 @@\n--- x\n+++ y\n z\n'), of('++ y\nz\n'), of('-- x\nz\n')],
    [
      'two files in one fence with wrong counts',
      fenced(`${NAMES}${HUNK.replace('-8,3', '-8,6')}--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-x\n+y\n`),
      { ...app(SAVED), 'f.txt': 'y\n' },
      { 'src/app.py': APP, 'f.txt': 'x\n' },
    ],
    ['no line that changes', diffOf('@@ -1,2 +1,2 @@\n x\n y\n'), ['malformed'], of('x\ny\n')],
    ['no fence, and cut off behind context', `${NAMES}@@ -8,3 +8,3 @@\n def save(path, text):\n`, ['truncated']],
    [
      'no fence, and counts that leave changes out',
      `${NAMES}@@ -8,1 +8,1 @@\n def save(path, text):\n\n-    with open(path, "w") as f:\n+    with open(path, "a") as f:\n`,
      ['malformed'],
    ],
    ['no fence, then a list', `${NAMES}${HUNK}\n- It works now.\n- Tests pass.\n`, app(SAVED)],
    [
      'a header of git among the lines of a hunk',
      diffOf('@@ -1,3 +1,3 @@\ndiff --git a/x b/x\n-b\n+c\n d\n'),
      of('diff --git a/x b/x\nc\nd\n'),
      of('diff --git a/x b/x\nb\nd\n'),
    ],
    [
      'a context line that looks like a header of a hunk and lost its prefix',
      diffOf('@@ -1,2 +1,3 @@\n a\n@@ -1,2 +1,3 @@ b\n+c\n'),
      ['malformed'],
      of('a\n@@ -1,2 +1,3 @@ b\n'),
    ],
    [
      'the same without a fence, and what is left of the hunk is taken for a list',
      '--- a/f.txt\n+++ b/f.txt\n@@ -1,5 +1,4 @@\n-a\n+A\n@@ -1,2 +1,2 @@51\nb\nc\nd\n- e\nf\n',
      ['malformed'],
      of('a\n@@ -1,2 +1,2 @@51\nb\nc\nd\n e\nf\n'),
    ],
    [
      'the same behind a hunk without numbers',
      diffOf('@@ ... @@\na\n+b\nc\n@@ -1,2 +1,3 @@56\n+d\n'),
      ['malformed'],
      of('a\nc\n@@ -1,2 +1,3 @@56\n'),
    ],
    [
      'a context line that begins with a plus, lost its prefix, and is like the line that is removed',
      diffOf('@@ -1,3 +1,2 @@\n+ a\n-+ a\n\n'),
      ['malformed'],
      of('+ a\n+ a\n\n'),
    ],
    [
      'a context line that looks like a header of git, lost its prefix, and is followed by another such line',
      diffOf('@@\n-a\n+b\ndiff --git a/q b/q\nnew file mode 100644\nc\n-d\n'),
      ['malformed'],
      of('a\ndiff --git a/q b/q\nnew file mode 100644\nc\nd\n'),
    ],
    [
      'the same without a fence, behind counts that are wrong',
      '--- a/f.txt\n+++ b/f.txt\n@@ -1,1 +1,0 @@\n-a\n-b\ndiff --git a/q b/q\n+c\n d\n',
      ['malformed'],
      of('a\nb\ndiff --git a/q b/q\nd\n'),
    ],
    [
      'a context line that is a minus, lost its prefix, and stands behind a blank line that is not shown',
      diffOf('@@\n a\n-\n+b\n'),
      ['malformed'],
      of('a\n  \n-\n'),
    ],
    [
      'a removed and an added line that look like names, behind counts that are wrong',
      diffOf('@@ -1,1 +1,8 @@\n-a\n+b\n c\n--- sql\n+++ inc\n+-- x\n'),
      ['malformed'],
      of('a\nc\n-- sql\n'),
    ],
    [
      'a list that gets an item',
      diffOf('@@ -1,2 +1,3 @@\n - a\n+- b\n - c\n'),
      of('- a\n- b\n- c\n'),
      of('- a\n- c\n'),
    ],
    ['a list without prefixes', diffOf('@@ -1,3 +1,3 @@\n# T\n+ a\n-x\n'), ['not_found'], of('# T\n+ a\nx\n')],
    [
      'a list whose items lost their prefixes and look removed',
      diffOf('@@ -1,2 +1,3 @@\n# T\n- a\n+- b\n'),
      ['not_found'],
      of('# T\n- a\n'),
    ],
    ['a blank line between names and hunk', fenced(`${NAMES}\n${HUNK}`), app(SAVED)],
    [
      'a marker that is a line of the file, and lost its prefix at the end',
      diffOf('@@ -1,3 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n'),
      ['malformed'],
      of('a\nb\n\\ No newline at end of file\n'),
    ],
    [
      'a marker that is a line of the file',
      diffOf('@@ -1,3 +1,3 @@\n a\n\\ No newline at end of file\n-b\n+c\n'),
      of('a\n\\ No newline at end of file\nc\n'),
      of('a\n\\ No newline at end of file\nb\n'),
    ],
  ],
  '6. where a hunk goes': [
    ['wrong numbers', fenced(NAMES + HUNK.replace('-8', '-80')), app(SAVED)],
    ['blanks at ends', diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+c\n'), of('a  \nc\n'), of('a  \nb\t\n')],
    ['quotes that were made nice', diffOf('@@ -1 +1 @@\n-say(“x”)\n+say(“y”)\n'), of('say("y")\n'), of('say("x")\n')],
    ['a blank that does not break', diffOf('@@ -1,2 +1,2 @@\n a\u00A0b\n-c\n+d\n'), of('a b\nd\n'), of('a b\nc\n')],
    [
      'less indentation',
      diffOf('@@ -1,2 +1,3 @@\n if x:\n-    y\n+    z\n+    w\n'),
      of('  if x:\n      z\n      w\n'),
      of('  if x:\n      y\n'),
    ],
    [
      'blanks for tabs',
      diffOf('@@ -1,2 +1,3 @@\n if x:\n-    y\n+    z\n+        w\n'),
      of('if x:\n\tz\n\t\tw\n'),
      of('if x:\n\ty\n'),
    ],
    ['a blank after each sign', diffOf('@@ -1,2 +1,2 @@\n  a\n- b\n+ c\n'), of('a\nc\n'), of('a\nb\n')],
    [
      'a blank line that is not shown',
      diffOf('@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'),
      of('a\n\nx\nc\n'),
      of('a\n\nb\nc\n'),
    ],
    [
      'dots for what is between',
      diffOf('@@ -1,5 +1,5 @@\n a\n-b\n+B\n ...\n-e\n+E\n'),
      of('a\nB\nc\nd\nE\n'),
      of('a\nb\nc\nd\ne\n'),
    ],
    ['dots among what is added', diffOf('@@ -1 +1,2 @@\n-a\n+b\n+# ... existing code ...\n'), ['malformed'], of('a\n')],
    [
      'numbers copied from the listing',
      diffOf('@@ -1,3 +1,3 @@\n      1 | a\n-     2 | b\n+     2 | B\n      3 | c\n'),
      of('a\nB\nc\n'),
      of('a\nb\nc\n'),
    ],
    [
      'code that HTML escaped',
      diffOf('@@ -1,2 +1,2 @@\n if a &lt; b:\n-  x\n+  y &amp;&amp; z\n'),
      of('if a < b:\n  y && z\n'),
      of('if a < b:\n  x\n'),
    ],
    [
      'a removed line that is only alike',
      diffOf('@@ -1,2 +1,2 @@\n a\n-return items\n+return 1\n'),
      ['not_found'],
      of('a\nreturn item\n'),
    ],
    [
      'several places, one at the number',
      diffOf('@@ -3 +3 @@\n-x\n+y\n'),
      of('x\na\ny\nb\nx\n'),
      of('x\na\nx\nb\nx\n'),
    ],
    ['several places, none near', diffOf('@@ -40 +40 @@\n-x\n+y\n'), ['ambiguous'], of('x\na\nx\n')],
    [
      'several places, the one at the number with blanks at its end',
      diffOf('@@ -3 +3 @@\n-a\n+b\n'),
      of('a\nx\nb\n'),
      of('a\nx\na  \n'),
    ],
    [
      'one of two blank lines is removed, and the other one is not shown',
      diffOf('@@\n a\n-\n+b\n'),
      ['malformed'],
      of('a\n\n\n'),
    ],
    ['several places, no number', diffOf('@@\n-x\n+y\n'), ['ambiguous'], of('x\na\nx\n')],
    [
      'blank lines that are not shown where one is added',
      diffOf('@@ -1,2 +1,3 @@\n a\n+x\n b\n'),
      ['malformed'],
      of('a\n\nb\n'),
    ],
    [
      'a blank line between what is removed',
      diffOf('@@ -1,3 +1,2 @@\n-a\n-b\n+x\n c\n'),
      of('\nx\nc\n'),
      of('a\n\nb\nc\n'),
    ],
    ['one of several blank lines is removed', diffOf('@@ -1,3 +1,2 @@\n a\n-\n b\n'), ['not_found'], of('a\n\n\nb\n')],
    [
      'several places, one clearly nearest',
      diffOf('@@ -31 +31 @@\n-x\n+y\n'),
      of(`x\n${'a\n'.repeat(30)}y\n`),
      of(`x\n${'a\n'.repeat(30)}x\n`),
    ],
    [
      'several places, one behind the section that the header names',
      diffOf('@@ def b():\n-    x\n+    y\n'),
      of('def a():\n    x\ndef b():\n    y\n'),
      of('def a():\n    x\ndef b():\n    x\n'),
    ],
    ['a gap whose parts stand in two places', diffOf('@@\n a\n ...\n-x\n+y\n'), ['not_found'], of('a\nb\nx\nc\nx\n')],
    ['letters composed in another way', diffOf('@@ -1 +1 @@\n-e\u0301\n+e\n'), of('e\n'), of('é\n')],
    ['dashes that were made nice', diffOf('@@ -1 +1 @@\n-a – b\n+a\n'), of('a\n'), of('a - b\n')],
  ],
  '7. bytes': [
    ['line ends of the neighbours', diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+c\n'), of('a\r\nc\r\nd\n'), of('a\r\nb\r\nd\n')],
    ['a byte order mark', diffOf('@@ -1 +1 @@\n-a\n+b\n'), of('\uFEFFb\n'), of('\uFEFFa\n')],
    ['no newline at the end stays', diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+c\n'), of('a\nc'), of('a\nb')],
    ['a newline that goes', diffOf('@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n'), of('b'), of('a\n')],
    [
      'a newline that comes, in a diff without a fence whose counts ask for a line more',
      '--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n\nThat is all.\n',
      of('a\nb\n'),
      of('a\nb'),
    ],
    [
      'the line end of the lines that a hunk shows, and not of one that it leaves out',
      diffOf('@@\n a\n-b\n\\ No newline at end of file\n+b\n'),
      of('a\n\r\nb\n'),
      of('a\n\r\nb'),
    ],
    ['a newline that comes', diffOf('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n'), of('a\n'), of('a')],
    [
      'a byte order mark that the diff shows',
      diffOf('@@ -1,2 +1,2 @@\n-\uFEFFa\n+\uFEFFb\n c\n'),
      of('\uFEFFb\nc\n'),
      of('\uFEFFa\nc\n'),
    ],
    ['a byte order mark that goes', diffOf('@@ -1 +1 @@\n-\uFEFFa\n+a\n'), of('a\n'), of('\uFEFFa\n')],
    ['a byte order mark that comes', diffOf('@@ -1 +1 @@\n-a\n+\uFEFFa\n'), of('\uFEFFa\n'), of('a\n')],
    ['mixed line ends stay', diffOf('@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'), of('a\nx\nc\r\nd\n'), of('a\nb\nc\r\nd\n')],
    [
      'a newline that goes while the reply has CRLF',
      diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n').replaceAll('\n', '\r\n'),
      of('a\r\nb'),
      of('a\r\nb\r\n'),
    ],
    [
      'a file of whole lines keeps having no newline at the end',
      `f.txt\n${fenced('a\nc', '')}`,
      of('a\nc'),
      of('a\nb'),
    ],
  ],
  '8. repetition': [
    ['the same diff twice', fenced(NAMES + HUNK).repeat(2), app(SAVED)],
    ['the same insertion twice', diffOf('@@ -1 +1,2 @@\n a\n+b\n').repeat(2), of('a\nb\n'), of('a\n')],
    [
      'the same text at two places',
      diffOf('@@ -1 +1 @@\n-x\n+y\n@@ -3 +3 @@\n-x\n+y\n'),
      of('y\na\ny\n'),
      of('x\na\nx\n'),
    ],
    ['done already', fenced(NAMES + HUNK), {}, of(SAVED, 'src/app.py')],
    [
      'a second diff on the first',
      diffOf('@@ -1 +1 @@\n-a\n+b\n') + diffOf('@@ -1 +1,2 @@\n b\n+c\n'),
      of('b\nc\n'),
      of('a\n'),
    ],
    [
      'a second version of a file, and a diff on it',
      `f.txt\n${fenced('a', '')}\n${diffOf('@@ -1 +1,2 @@\n a\n+b\n')}`,
      of('a\nb\n'),
      of('x\n'),
    ],
    [
      'the same insertion at two places',
      diffOf('@@ -1,2 +1,3 @@\n a\n+x\n b\n@@ -3,2 +4,3 @@\n a\n+x\n c\n'),
      of('a\nx\nb\na\nx\nc\n'),
      of('a\nb\na\nc\n'),
    ],
  ],
  '9. hunks without context': [
    ['an insertion at its number', diffOf('@@ -1,0 +2 @@\n+b\n'), of('a\nb\nc\n'), of('a\nc\n')],
    [
      'an insertion whose counts do not come out, beside a line with a plus that is like its own',
      diffOf('@@ -1,0 +1,0 @@\n+\n+a\n'),
      ['malformed'],
      of('+\n'),
    ],
    [
      'an insertion that counts lines and shows none',
      diffOf('@@ -2,3 +2,4 @@\n+b\n'),
      ['malformed'],
      of('a\nc\nd\ne\n'),
    ],
    ['an insertion outside', diffOf('@@ -9,0 +10 @@\n+b\n'), ['malformed'], of('a\nc\n')],
    ['an insertion without number', diffOf('@@\n+b\n'), ['malformed'], of('a\nc\n')],
    ['an insertion at the end by number', diffOf('@@ -2,0 +3 @@\n+b\n'), of('a\nc\nb\n'), of('a\nc\n')],
    ['an insertion into an empty file', diffOf('@@ -0,0 +1 @@\n+b\n'), of('b\n'), of('')],
  ],
  '10. errors': [
    [
      'a good hunk beside a bad one',
      diffOf('@@ -1 +1 @@\n-nope\n+no\n@@ -2 +2 @@\n-b\n+B\n'),
      ['not_found'],
      of('a\nb\n'),
    ],
    [
      'a good diff beside a path outside',
      `${fenced(NAMES + HUNK)}${fenced('--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n')}`,
      ['bad_path'],
    ],
    ['a fence with a diff without hunks', fenced('--- a/f.txt\n+++ b/f.txt\n'), ['malformed'], of('a\n')],
    ['a hunk without names and without a fence', '@@\n-x\n+y\n', ['malformed'], of('x\n')],
    ['names of a diff, and nothing else', 'I would change\n--- a/f.txt\n', ['malformed'], of('x\n')],
    ['fences with nothing in them', fenced('', ''), ['malformed']],
    [
      'salvage: of three hunks the second is wrong',
      diffOf('@@ -1 +1 @@\n-a\n+A\n@@ -9 +9 @@\n-z\n+Z\n@@ -3 +3 @@\n-c\n+C\n'),
      ['not_found'],
      of('a\nb\nc\n'),
    ],
  ],
  'envelopes, and other formats': [
    [
      'an envelope',
      '*** Begin Patch\n*** Update File: src/app.py\n@@ def save(path, text):\n-    with open(path, "w") as f:\n+    with open(path, "a") as f:\n*** Add File: n.py\n+x\n*** Delete File: f.txt\n*** End Patch\n',
      { ...app(SAVED), 'n.py': 'x\n', 'f.txt': null },
      { 'src/app.py': APP, 'f.txt': 'x\n' },
    ],
    [
      'an envelope that moves',
      '*** Begin Patch\n*** Update File: f.txt\n*** Move to: g.txt\n@@\n-x\n+y\n*** End Patch\n',
      { 'f.txt': null, 'g.txt': 'y\n' },
      of('x\n'),
    ],
    ['an envelope that is cut off', '*** Begin Patch\n*** Update File: f.txt\n@@\n-x\n+y\n', ['truncated'], of('x\n')],
    [
      'an envelope in a shell command',
      fenced("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: f.txt\n@@\n-x\n+y\n*** End Patch\nEOF", 'bash'),
      of('y\n'),
      of('x\n'),
    ],
    [
      'an envelope in a fence',
      fenced('*** Begin Patch\n*** Update File: f.txt\n-x\n+y\n*** End Patch', ''),
      of('y\n'),
      of('x\n'),
    ],
    ['an envelope that leads outside', '*** Begin Patch\n*** Add File: ../x\n+x\n*** End Patch\n', ['bad_path']],
    [
      'SEARCH and REPLACE without a fence',
      'src/app.py\n<<<<<<< SEARCH\nimport os\n=======\nimport re\n>>>>>>> REPLACE\n',
      ['malformed'],
    ],
    ['SEARCH and REPLACE that is cut off', 'src/app.py\n<<<<<<< SEARCH\nimport os\n', ['truncated']],
    [
      'marks of a conflict in a fence',
      `src/app.py\n${fenced('<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main', 'python')}`,
      ['malformed'],
    ],
    ['a file between tags', '<file path="a.py">\nx = 1\n</file>\n', ['malformed']],
    [
      'a file in a fence between tags',
      `<file path="a.py">\n${fenced('x = 1', 'python')}</file>\n`,
      { 'a.py': 'x = 1\n' },
    ],
    ['a here-document', fenced("cat > a.py <<'EOF'\nx = 1\nEOF", 'bash'), ['malformed']],
    ['files as JSON', fenced('{"files": [{"path": "a.py", "content": "x"}]}', 'json'), ['malformed']],
  ],
}

for (const [rule, cases] of Object.entries(CASES)) {
  test(`malformed replies come out as they should: ${rule}`, async t => {
    for (const [name, reply, outcome, before = { 'src/app.py': APP }] of cases) {
      const { changed, deleted, rejected } = applyEdits(new Map(Object.entries(before)), readReply(reply))
      const told = rejected.map(({ reason, detail }) => `${reason}: ${detail}`).join('\n')
      if (Array.isArray(outcome)) {
        t.same(
          rejected.map(({ reason }) => reason),
          outcome,
          `${name}: ${told}`,
        )
      } else {
        t.same(
          { changed: Object.fromEntries([...changed, ...deleted.map(path => [path, null])]), told },
          { changed: outcome, told: '' },
          name,
        )
      }
    }
  })
}

test('what an earlier turn applied is not applied again', async t => {
  const reply = readReply(diffOf('@@ -1 +1,2 @@\n a\n+b\n'))
  const first = applyEdits(new Map([['f.txt', 'a\n']]), reply)
  const memory: EditMemory = JSON.parse(JSON.stringify(first.memory))
  const second = applyEdits(first.changed, reply, { memory })
  t.equal(second.changed.size, 0)
  t.same(
    second.applied.map(({ how }) => how),
    ['repeated'],
  )
  t.same(second.rejected, [])
  const third = applyEdits(new Map([['f.txt', 'a\nb\nc\n']]), readReply(diffOf('@@ -1,2 +1,3 @@\n a\n+b\n c\n')), {
    memory,
  })
  t.same(
    third.applied.map(({ how }) => how),
    ['repeated'],
    'with more context than before',
  )
})
