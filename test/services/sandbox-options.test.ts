import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { sandboxOptions } from '../../src/services/sandbox-options.ts'
import { testFolder } from '../helpers/test-folder.ts'

test(
  'programs may reach the registries that npm and pip are configured for; SANDBOX_REGISTRIES stands in ' +
    'their place, and npm and pip are still told of theirs',
  async t => {
    const root = testFolder(t)
    mkdirSync(join(root, 'repos'))
    const given = {
      npm_config_registry: 'https://npm.example.com/',
      PIP_INDEX_URL: 'https://ann:secret@py.example.com/simple',
    }
    const options = (env: Record<string, string>) => sandboxOptions(loadConfig({ root, env: { ...given, ...env } }))
    const configured = options({})
    t.same(configured.registries.slice(0, 2).toSorted(), ['npm.example.com', 'py.example.com'])
    t.match(configured.registryEnv, {
      npm_config_registry: 'https://npm.example.com/',
      PIP_INDEX_URL: 'https://py.example.com/simple',
    })
    const replaced = options({ SANDBOX_REGISTRIES: 'Mirror.example.com, localhost:4873' })
    t.same(replaced.registries, ['mirror.example.com', 'localhost:4873'])
    t.same(replaced.registryEnv, configured.registryEnv)
    for (const wrong of ['https://npm.example.com/', 'a b', '*.example.com', 'user@host']) {
      t.throws(() => options({ SANDBOX_REGISTRIES: wrong }), { code: 'CONFIG_INVALID' }, wrong)
    }
    writeFileSync(join(root, '.env'), 'SANDBOX_REGISTRIES=\n')
    t.same(options({}).registries, configured.registries, 'an empty value is none')
  },
)
