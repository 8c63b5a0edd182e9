import { isLockFileName } from '../../core/file-names.ts'

/**
 * Files that decide what runs on other machines, with which packages: a change of them is more than a change of code.
 */
const NAMES: ReadonlySet<string> = new Set([
  '.faultline.toml',
  '.npmrc',
  '.pnpmfile.cjs',
  '.pnpmfile.mjs',
  '.yarnrc',
  '.yarnrc.yml',
  'bunfig.toml',
  'pip.conf',
  'pip.ini',
  '.pypirc',
  '.gitmodules',
  'codeowners',
  '.pre-commit-config.yaml',
  'jenkinsfile',
  'azure-pipelines.yml',
  'azure-pipelines.yaml',
  'bitbucket-pipelines.yml',
  '.travis.yml',
  '.gitlab-ci.yml',
  '.gitlab-ci.yaml',
  '.drone.yml',
  '.drone.yaml',
  'appveyor.yml',
  '.appveyor.yml',
  '.cirrus.yml',
  '.cirrus.star',
  'buildspec.yml',
  'buildspec.yaml',
  'cloudbuild.yaml',
  'cloudbuild.yml',
  'codefresh.yml',
  'wercker.yml',
  '.woodpecker.yml',
  '.woodpecker.yaml',
  '.scrutinizer.yml',
  'bitrise.yml',
  'dependabot.yml',
  'renovate.json',
  'renovate.json5',
  '.renovaterc',
])
const FOLDERS: ReadonlySet<string> = new Set([
  '.circleci',
  '.buildkite',
  '.woodpecker',
  '.teamcity',
  '.semaphore',
  '.husky',
  '.gitlab',
  '.azure-pipelines',
  '.yarn',
  '.ci',
])
const WORKFLOWS = /(?:^|\/)\.(?:github|gitea|forgejo)\/(?:workflows|actions)\//

/**
 * Whether a file is changed only where a request names it: workflows, CI configuration, lock files, settings of package
 * managers. Capital letters do not count.
 */
export function isProtected(path: string): boolean {
  const lower = path.toLowerCase()
  const segments = lower.split('/')
  const name = segments.pop() ?? ''
  return (
    isLockFileName(lower) ||
    NAMES.has(name) ||
    name.startsWith('jenkinsfile.') ||
    WORKFLOWS.test(lower) ||
    segments.some(folder => FOLDERS.has(folder))
  )
}
