/** Variables by which the loader, a shell or a runtime finds code: they run another program in the place of that of the image. */
const choosesCode =
  /^(LD_|DYLD_|BASH_FUNC_|PYTHON|PERL5|RUBY|OPENSSL_|NODE_(OPTIONS|PATH|REPL_EXTERNAL_MODULE)$|(PATH|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|IFS|GCONV_PATH|GLIBC_TUNABLES|LOCPATH|NLSPATH|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS)$)/;

/** Why a pod may not set a variable; undefined if it may. */
export const whyRefused = (name: string, allowed: readonly string[] = []): string | undefined =>
  choosesCode.test(name) && !allowed.includes(name)
    ? `env ${name}: the process node refuses variables that choose which code a program loads. Remove it, or start the node with allow: { variables: ["${name}"] }`
    : undefined;
