#!/usr/bin/env bash
# Usage: build_llama_server.sh PYTHON FOLDER
# Builds llama-server from the sources of llama.cpp in the sdist of llama-cpp-python, in some 10 minutes: FOLDER/bin/llama-server.
set -eu
python=$1 folder=$2
mkdir -p "$folder"
"$python" -m pip download --quiet --no-deps --no-binary :all: --dest "$folder/sdist" llama-cpp-python
rm -rf "$folder/source"
mkdir "$folder/source"
tar -xzf "$folder"/sdist/llama_cpp_python-*.tar.gz -C "$folder/source" --strip-components 1
cmake -S "$folder/source/vendor/llama.cpp" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF
nice -n 10 cmake --build "$folder/build" --parallel "${JOBS:-2}" --target llama-server
mkdir -p "$folder/bin"
cp "$folder/build/bin/llama-server" "$folder/bin/llama-server"
