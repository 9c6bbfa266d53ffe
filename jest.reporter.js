/** The results of a jest run in; one plain closing line, which any CI can read, out. */
module.exports = class ClosingLine {
  onRunComplete(_contexts, results) {
    // A suite that does not compile runs no test, yet it has failed.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.stdout.write(
      `\n${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`
    );
  }
};
