import { test } from 'tap'
import { isProtected } from '../../../src/edits/apply/protected-paths.ts'

test('what decides what other machines run is protected, wherever it lies and however it is spelled', async t => {
  const paths = [
    '.github/workflows/ci.yml',
    '.GitHub/Workflows/x.yaml',
    'sub/.github/actions/a/action.yml',
    'package-lock.json',
    'packages/a/package-lock.json',
    'yarn.lock',
    'pnpm-lock.yaml',
    'poetry.lock',
    'Cargo.lock',
    'go.sum',
    'Gemfile.lock',
    'bun.lock',
    'uv.lock',
    '.faultline.toml',
    'a/.Faultline.TOML',
    '.npmrc',
    'a/.npmrc',
    '.yarnrc.yml',
    '.gitlab-ci.yml',
    '.circleci/config.yml',
    'Jenkinsfile',
    'Jenkinsfile.release',
    'azure-pipelines.yml',
    '.travis.yml',
    'bitbucket-pipelines.yml',
    '.drone.yml',
    '.husky/pre-commit',
    '.gitmodules',
    '.github/CODEOWNERS',
    '.buildkite/pipeline.yml',
  ]
  for (const path of paths) t.ok(isProtected(path), path)
})

test('code and its own settings are not', async t => {
  for (const path of [
    'src/a.py',
    'package.json',
    'pyproject.toml',
    'requirements.txt',
    '.github/ISSUE_TEMPLATE.md',
    'README.md',
    'workflows/ci.yml',
    'src/github/workflows/x.ts',
    'lock.py',
    'src/lockfile.ts',
    'Makefile',
    'Dockerfile',
    'jenkins.py',
    '.gitignore',
    '.eslintrc',
  ]) {
    t.notOk(isProtected(path), path)
  }
})
