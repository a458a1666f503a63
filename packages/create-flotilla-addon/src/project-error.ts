/** Why there is no project, and what to do. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
