/** The data of the events of a stream (`text/event-stream`). Other fields, and events without data, are left out. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    // A line break may be two characters, and the second may be in the next chunk.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n');
        data = [];
      } else if (/^data(:|$)/.test(line)) data.push(line.replace(/^data:? ?/, ''));
    }
  }
}
