/** Variables by which the loader, a shell or a runtime finds code: they run another program in the place of that of the image. */
const choosesCode = new RegExp(
  `^(${[
    'LD_|DYLD_|BASH_FUNC_|PYTHON|PERL5|RUBY|LUA_|CORECLR_|OPENSSL_|NODE_',
    '(PATH|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|IFS|ZDOTDIR|GCONV_PATH|GLIBC_TUNABLES|LOCPATH|NLSPATH)$',
    '(PERLLIB|PHPRC|PHP_INI_SCAN_DIR|DOTNET_(STARTUP_HOOKS|ADDITIONAL_DEPS|SHARED_STORE))$',
    '(CLASSPATH|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS)$',
  ].join('|')})`,
);

/** Node has more of its variables with each release, so those are named that it does not find code by, and what pods call the machine. */
const harmless: ReadonlySet<string> = new Set([
  ...['NODE_DEBUG', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'NODE_NO_WARNINGS', 'NODE_USE_ENV_PROXY'],
  ...['NODE_HOST', 'NODE_ID', 'NODE_IP', 'NODE_NAME', 'NODE_PORT'],
]);

/** Why a pod may not set a variable; undefined if it may. */
export const whyRefused = (name: string, allowed: readonly string[] = []): string | undefined =>
  choosesCode.test(name) && !harmless.has(name) && !allowed.includes(name)
    ? `env ${name}: the process node refuses variables that choose which code a program loads. Remove it, or start the node with allow: { variables: ["${name}"] }`
    : undefined;
