/** Replaces `$(NAME)` by the variable, if there is one; `$$` is a dollar sign. As Kubernetes expands commands, arguments and values. */
export const expand = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$(?:\$|\(([^()]*)\))/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    return Object.hasOwn(variables, name) ? (variables[name] ?? '') : whole;
  });
