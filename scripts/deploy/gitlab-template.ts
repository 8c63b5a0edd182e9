import { readFileSync, writeFileSync } from 'node:fs'
import { isProgram } from '../../src/core/node-version.ts'

const SCRIPT = new URL('../../deploy/ci/faultline.sh', import.meta.url)
const TEMPLATE = new URL('../../deploy/ci/gitlab.yml', import.meta.url)

const HEAD = `# Posts the log of a failed job to a Faultline server: docs/ci.md says how a job extends this.
# Made of faultline.sh by "node scripts/deploy/gitlab-template.ts", as GitLab includes YAML and nothing else.
.faultline:
  variables:
    FAULTLINE_CI: gitlab
    FAULTLINE_LOG: faultline.log
    FAULTLINE_CODE_QUALITY: gl-code-quality-report.json
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
  after_script:
    - |
      # in a shell of its own, as GitLab makes one script of all lines, also of those that a job adds
      if [ "\${CI_JOB_STATUS:-}" = failed ]; then (
`
const TAIL = `      ); fi
`

/** The template of GitLab with the script in it, whose own first line a job has no use for. */
export const gitlabTemplate = (script: string): string =>
  HEAD + script.replace(/^#!.*\n/, '').replace(/^(?=.)/gm, ' '.repeat(6)) + TAIL

if (isProgram(import.meta)) writeFileSync(TEMPLATE, gitlabTemplate(readFileSync(SCRIPT, 'utf8')))
