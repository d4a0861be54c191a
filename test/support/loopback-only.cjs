// Preloaded into a node that would listen on every address, whatever it is told.
const net = require("node:net");

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (...args) {
  const [first] = args;
  const port = typeof first === "object" && first !== null ? first.port : first;
  const done = args.find((each) => typeof each === "function");
  return listen.call(this, { port: Number(port), host: "127.0.0.1" }, done);
};
