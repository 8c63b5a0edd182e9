import { test } from 'tap'
import { checkReplies, F, fenced, of } from '../../helpers/reply-cases.ts'

test('a block under the name of a file is all of it', async t => {
  checkReplies(t, [
    ['an empty block', `a/__init__.py\n${F}python\n${F}\n`, { 'a/__init__.py': '' }],
    [
      'no line feed at its end',
      `a.py\n${fenced('x = 1\ny = 2\n\\ No newline at end of file', 'python')}`,
      of('x = 1\ny = 2', 'a.py'),
    ],
    ['lines of a file that is not there', `b.py (lines 3-9)\n${fenced('x = 1', 'python')}`, ['no_such_file']],
    ['fences without any name', `Do this:\n${fenced('x = 1', 'python')}`, ['malformed']],
    [
      'several files as gpt-engineer asks for them',
      `src/main.py\n${fenced('def main():\n    print("Hello")', 'python')}\nrequirements.txt\n` +
        `${fenced('flask==2.0.0', '')}`,
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
    [
      'a name in a comment inside of the block',
      fenced('# src/main.py\nx = 1', 'python'),
      { 'src/main.py': '# src/main.py\nx = 1\n' },
    ],
    [
      'a name between brackets that are its own',
      `app/(auth)/[slug]/+page.svelte\n${fenced('x', 'svelte')}`,
      { 'app/(auth)/[slug]/+page.svelte': 'x\n' },
    ],
  ])
})
