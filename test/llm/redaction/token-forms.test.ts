import { test } from 'tap'
import { TOKEN_FORMS } from '../../../src/llm/redaction/token-forms.ts'

test('each form is a regular expression that matches nothing empty and has a kind', async t => {
  for (const [kind, form] of TOKEN_FORMS) {
    t.match(kind, /^[a-z0-9-]+$/)
    t.equal(new RegExp(`^(?:${form})$`).test(''), false, kind)
  }
})
