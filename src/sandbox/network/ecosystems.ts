/** Package managers by the registries that they share. */
export type Ecosystem = 'npm' | 'yarn' | 'pip' | 'go' | 'cargo' | 'maven' | 'gradle' | 'bundler' | 'composer'

/**
 * Public registries of the ecosystems that have no configuration on this machine. Lock files of yarn name its own host
 * for the packages of npm. Composer's archives come from GitHub: nothing of Packagist could be installed without it.
 */
const PUBLIC_REGISTRIES: Readonly<Record<Exclude<Ecosystem, 'npm' | 'pip'>, readonly string[]>> = {
  yarn: ['registry.yarnpkg.com'],
  go: ['proxy.golang.org', 'sum.golang.org'],
  cargo: ['index.crates.io', 'static.crates.io', 'crates.io'],
  maven: ['repo.maven.apache.org', 'repo1.maven.org'],
  gradle: ['repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org', 'plugins-artifacts.gradle.org'],
  bundler: ['rubygems.org', 'index.rubygems.org'],
  composer: ['repo.packagist.org', 'packagist.org', 'api.github.com', 'codeload.github.com'],
}

/**
 * The hosts that a run may reach.
 *
 * @param listed - Those of the operator's list, or those that npm and pip are configured for.
 * @param isListComplete - Whether the operator's list is all that may be reached, whatever a program needs.
 */
export function hostsFor(
  ecosystems: readonly Ecosystem[] | undefined,
  { registries: listed, isListComplete }: { registries: readonly string[]; isListComplete: boolean },
): string[] {
  if (ecosystems === undefined || isListComplete) return [...listed]
  const hosts = ecosystems.flatMap(one => (one === 'npm' || one === 'pip' ? listed : PUBLIC_REGISTRIES[one]))
  return [...new Set(hosts)]
}
