import os

# ONNX Runtime would keep a name for this machine, and tell its makers which models it runs.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
