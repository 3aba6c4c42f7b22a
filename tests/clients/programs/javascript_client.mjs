// The official client for JavaScript: asks for each feature that is named and prints what came of it.
import { createRequire } from "node:module";

// The client is installed elsewhere than this file lies.
const OpenAI = createRequire(process.env.CLIENTS_JS + "/package.json")("openai");

const [baseURL, ...wanted] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
const model = "quaestor";
const question = "how often is a request sent?";
const messages = [{ role: "user", content: question }];
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const schema = { type: "object", properties: { tries: { type: "integer" } }, required: ["tries"] };

const features = {
  async chat() {
    return { text: (await client.chat.completions.create({ model, messages })).choices[0].message.content };
  },
  async streaming() {
    const pieces = [];
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
      if (chunk.choices[0].delta.content) pieces.push(chunk.choices[0].delta.content);
    }
    return { text: pieces.join(""), pieces: pieces.length };
  },
  async tools() {
    const tools = [{ type: "function", function: { name: "weather", parameters } }];
    const said = [{ role: "user", content: "how is the weather in Graz?" }];
    const { message } = (await client.chat.completions.create({ model, messages: said, tools })).choices[0];
    const [call] = message.tool_calls;
    said.push(message, { role: "tool", tool_call_id: call.id, content: "rain" });
    const second = await client.chat.completions.create({ model, messages: said, tools });
    return { called: JSON.parse(call.function.arguments), text: second.choices[0].message.content };
  },
  async form() {
    const response_format = { type: "json_schema", json_schema: { name: "tries", schema } };
    const answer = await client.chat.completions.parse({ model, messages, response_format });
    return { data: JSON.parse(answer.choices[0].message.content) };
  },
  async responses() {
    return { text: (await client.responses.create({ model, input: question })).output_text };
  },
  async responses_streamed() {
    let pieces = 0;
    const stream = client.responses.stream({ model, input: question });
    stream.on("response.output_text.delta", () => (pieces += 1));
    return { text: (await stream.finalResponse()).output_text, pieces };
  },
  async completion() {
    return { text: (await client.completions.create({ model, prompt: question })).choices[0].text };
  },
  async embeddings() {
    const { data } = await client.embeddings.create({ model, input: ["one", "two"] });
    return { vectors: data.map((one) => one.embedding.length) };
  },
  async models() {
    const names = [];
    for await (const one of client.models.list()) names.push(one.id);
    return { names };
  },
  async sources() {
    const { message } = (await client.chat.completions.create({ model, messages })).choices[0];
    return { paths: message.quaestor.citations.map((one) => one.path) };
  },
  async image() {
    const image_url = { url: "data:image/png;base64,aaaa" };
    const content = [{ type: "text", text: "what is this?" }, { type: "image_url", image_url }];
    return client.chat.completions.create({ model, messages: [{ role: "user", content }] });
  },
  async unknown() {
    return client.chat.completions.create({ model: "cellar", messages });
  },
};

const found = {};
for (const feature of wanted) {
  try {
    found[feature] = await features[feature]();
  } catch (error) {
    found[feature] = error instanceof OpenAI.APIError ? { refused: error.message } : { failed: String(error) };
  }
}
console.log(JSON.stringify(found));
